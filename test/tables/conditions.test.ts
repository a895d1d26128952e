import { expect, it } from 'vitest';
import type { ContainerStatus, PodCondition, PodSpec } from '../../src/api/generated/types.ts';
import {
  allContainersRestartingCondition,
  type ConditionVerdict,
  containersReadyCondition,
  initializedCondition,
  readyCondition,
  readyToStartCondition,
  type SandboxState,
} from '../../src/lifecycle/status/conditions.ts';
import { specOf, statusOf, type TableContainer, tableRows } from './table.ts';

interface Row {
  readonly id: string;
  readonly type: keyof typeof CONDITIONS;
  readonly containers: ReadonlyArray<TableContainer | string>;
  readonly initContainers: ReadonlyArray<TableContainer | string>;
  readonly containerStatuses?: readonly TableContainer[] | null;
  readonly existingConditions?: PodCondition[];
  readonly readinessGates?: string[];
  readonly sandboxes?: SandboxState[];
  readonly phase?: string;
  /** '' means that there is none; a message that is missing here may be anything. */
  readonly expect: { readonly status: string; readonly reason?: string; readonly message?: string };
}

type Verdict = (spec: PodSpec, statuses: ContainerStatus[] | undefined, row: Row) => ConditionVerdict;

const CONDITIONS = {
  ContainersReady: (spec, statuses, { phase }) => containersReadyCondition(spec, statuses, phase),
  Ready: (spec, statuses, { phase, existingConditions = [] }) =>
    readyCondition(spec, existingConditions, statuses, phase),
  Initialized: (spec, statuses, { phase, existingConditions = [] }) => {
    const wasInitialized = existingConditions.some(({ type, status }) => type === 'Initialized' && status === 'True');
    return initializedCondition({ spec, statuses, phase, wasInitialized });
  },
  AllContainersRestarting: (spec, statuses, { phase }) => allContainersRestartingCondition(spec, statuses, phase),
  PodReadyToStartContainers: (_spec, _statuses, { sandboxes = [] }) => readyToStartCondition(sandboxes),
} satisfies Record<string, Verdict>;

it.each(tableRows<Row>('conditions'))('conditions: $id', (row) => {
  const spec: PodSpec = {
    containers: row.containers.map(specOf),
    initContainers: row.initContainers.map(specOf),
    readinessGates: row.readinessGates?.map((conditionType) => ({ conditionType })),
  };
  const statuses = row.containerStatuses?.flatMap(statusOf);
  const { status, reason = '', message = '' } = CONDITIONS[row.type](spec, statuses, row);
  expect({ status, reason, message }).toMatchObject(row.expect);
});
