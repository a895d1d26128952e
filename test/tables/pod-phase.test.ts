import { expect, it } from 'vitest';
import { podPhase } from '../../src/lifecycle/status/phase.ts';
import { specOf, statusOf, type TableContainer, tableRows } from './table.ts';

interface Row {
  readonly id: string;
  readonly restartPolicy: 'Always' | 'OnFailure' | 'Never';
  readonly initContainers: readonly TableContainer[];
  readonly containers: readonly TableContainer[];
  readonly podIsTerminal: boolean;
  readonly podHasInitialized: boolean;
  readonly phase: string;
}

it.each(tableRows<Row>('pod-phase'))('pod-phase: $id', (row) => {
  const { restartPolicy, podIsTerminal, podHasInitialized } = row;
  const phase = podPhase({
    spec: {
      restartPolicy,
      initContainers: row.initContainers.map(specOf),
      containers: row.containers.map(specOf),
    },
    statuses: [...row.initContainers, ...row.containers].flatMap(statusOf),
    podIsTerminal,
    podHasInitialized,
  });
  expect(phase).toBe(row.phase);
});
