import {
  type ContainerState,
  type ContainerStatus,
  humanDuration,
  isSidecar,
  isTerminalPhase,
  isUnreachable,
  type PodCondition,
  type PodSpec,
  type PodStatus,
  SCHEDULING_GATED,
  type StoredPod,
} from '../../api/index.ts';
import { NODE_LOST, WAITING } from '../../lifecycle/index.ts';
import { ageSince, timestampMs } from '../base/age.ts';
import type { Column } from './table-printer.ts';

/** The columns READY, STATUS and RESTARTS of `get pods`. */
export interface PodSummary {
  /** The number of ready containers: regular ones and sidecars. */
  readonly ready: number;
  readonly total: number;
  /** The STATUS column: `Running`, `Init:0/2`, `CrashLoopBackOff`, … */
  readonly text: string;
  readonly restarts: number;
  /** The time of the last end before a restart, milliseconds since 1970. */
  readonly lastRestartMs: number | undefined;
}

/** The number of restarts of some containers, and the time of the last one. */
interface Restarts {
  readonly count: number;
  readonly lastMs: number | undefined;
}

/** Summarizes a Pod as the API server does. Source: pkg/printers/internalversion/printers.go, printPod. */
export function summarizePod(pod: StoredPod): PodSummary {
  const { spec, status } = pod;
  const sidecars = new Set((spec.initContainers ?? []).filter(isSidecar).map(({ name }) => name));
  const initStatuses = status.initContainerStatuses ?? [];
  const init = summarizeInit(initStatuses, sidecars, spec.initContainers?.length ?? 0);
  const initialized = init.text === undefined || conditionOf(status, 'Initialized')?.status === 'True';
  const app = initialized ? summarizeContainers(status) : { ready: 0, text: undefined };
  // After the initialization, restarts of plain init containers do not count.
  const counted = initialized
    ? [...initStatuses.filter(({ name }) => sidecars.has(name)), ...(status.containerStatuses ?? [])]
    : init.visited;
  const restarts = sumRestarts(counted);
  return {
    ready: init.ready + app.ready,
    total: spec.containers.length + sidecars.size,
    text: deletionText(pod) ?? app.text ?? init.text ?? baseText(status),
    restarts: restarts.count,
    lastRestartMs: restarts.lastMs,
  };
}

/** The first condition of that type. */
export function conditionOf(status: PodStatus, type: string): PodCondition | undefined {
  return status.conditions?.find((condition) => condition.type === type);
}

function baseText(status: PodStatus): string {
  const gated = status.conditions?.some(
    ({ type, reason }) => type === 'PodScheduled' && reason === SCHEDULING_GATED.reason,
  );
  if (gated) return SCHEDULING_GATED.reason;
  // An unreachable Pod shows its phase: its reason is podrun's own (store/owners/lost-owner.ts).
  return (isUnreachable(status) ? undefined : status.reason) || status.phase || '';
}

/** Looks at the init containers up to the first that holds back the rest. `text` is the state of that container. */
function summarizeInit(
  statuses: readonly ContainerStatus[],
  sidecars: ReadonlySet<string>,
  total: number,
): { ready: number; text: string | undefined; visited: readonly ContainerStatus[] } {
  let ready = 0;
  for (const [index, container] of statuses.entries()) {
    const { terminated, waiting } = container.state ?? {};
    if (terminated?.exitCode === 0) continue;
    if (sidecars.has(container.name) && container.started === true) {
      if (container.ready) ready += 1;
      continue;
    }
    const visited = statuses.slice(0, index + 1);
    if (terminated) return { ready, visited, text: `Init:${terminated.reason || exitText(terminated)}` };
    const reason = waiting?.reason === WAITING.podInitializing ? undefined : waiting?.reason;
    return { ready, visited, text: `Init:${reason || `${index}/${total}`}` };
  }
  return { ready, text: undefined, visited: statuses };
}

/** The state of the first container that waits or has ended. Running containers do not count. */
function summarizeContainers(status: PodStatus): { ready: number; text: string | undefined } {
  const statuses = status.containerStatuses ?? [];
  const running = statuses.filter(({ state, ready }) => stateText(state) === undefined && ready && state?.running);
  const text = statuses.map(({ state }) => stateText(state)).find((known) => known !== undefined);
  if (text !== 'Completed' || running.length === 0) return { ready: running.length, text };
  return {
    ready: running.length,
    text: conditionOf(status, 'Ready')?.status === 'True' ? 'Running' : 'NotReady',
  };
}

function stateText(state: ContainerState | undefined): string | undefined {
  if (state?.waiting?.reason) return state.waiting.reason;
  return state?.terminated ? state.terminated.reason || exitText(state.terminated) : undefined;
}

function exitText({ signal, exitCode }: { signal?: number | undefined; exitCode: number }): string {
  return signal ? `Signal:${signal}` : `ExitCode:${exitCode}`;
}

function sumRestarts(statuses: readonly ContainerStatus[]): Restarts {
  const ends = statuses.map(({ lastState }) => timestampMs(lastState?.terminated?.finishedAt) ?? 0);
  const lastMs = Math.max(0, ...ends);
  return {
    count: statuses.reduce((sum, { restartCount }) => sum + restartCount, 0),
    lastMs: lastMs > 0 ? lastMs : undefined,
  };
}

function deletionText({ metadata, status }: StoredPod): string | undefined {
  if (!metadata.deletionTimestamp) return undefined;
  if (status.reason === NODE_LOST || isUnreachable(status)) return 'Unknown';
  return isTerminalPhase(status.phase) ? undefined : 'Terminating';
}

/** The columns of `get pods`. */
export const POD_COLUMNS: readonly Column<StoredPod>[] = [
  { heading: 'NAME', cell: ({ metadata }) => metadata.name },
  {
    heading: 'READY',
    cell: (pod) => {
      const { ready, total } = summarizePod(pod);
      return `${ready}/${total}`;
    },
  },
  { heading: 'STATUS', cell: (pod) => summarizePod(pod).text },
  {
    heading: 'RESTARTS',
    cell: (pod, nowMs) => {
      const { restarts, lastRestartMs } = summarizePod(pod);
      if (restarts === 0 || lastRestartMs === undefined) return String(restarts);
      return `${restarts} (${humanDuration(nowMs - lastRestartMs)} ago)`;
    },
  },
  { heading: 'AGE', cell: ({ metadata }, nowMs) => ageSince(metadata.creationTimestamp, nowMs) },
  { heading: 'IP', wide: true, cell: ({ status }) => status.podIPs?.[0]?.ip || '<none>' },
  { heading: 'NODE', wide: true, cell: ({ spec }) => spec.nodeName || '<none>' },
  { heading: 'NOMINATED NODE', wide: true, cell: ({ status }) => status.nominatedNodeName || '<none>' },
  { heading: 'READINESS GATES', wide: true, cell: ({ spec, status }) => readinessGates(spec, status) },
];

function readinessGates(spec: PodSpec, status: PodStatus): string {
  const gates = spec.readinessGates ?? [];
  if (gates.length === 0) return '<none>';
  const open = gates.filter(({ conditionType }) => conditionOf(status, conditionType)?.status === 'True');
  return `${open.length}/${gates.length}`;
}
