import { type Container, type ContainerStatus, isSidecar, type PodSpec } from '../../api/index.ts';
import { statusesByName } from './conditions.ts';
import { shouldRestart } from '../base/restart-policy.ts';
import { TERMINATED } from '../texts/container-states.ts';

export type PodPhase = 'Pending' | 'Running' | 'Succeeded' | 'Failed';

export interface PhaseInput {
  readonly spec: Pick<PodSpec, 'containers' | 'initContainers' | 'restartPolicy'>;
  readonly statuses: readonly ContainerStatus[];
  /** True: the Pod has been taken down and no container restarts any more. */
  readonly podIsTerminal: boolean;
  /** True: some regular container of the Pod has an instance. */
  readonly podHasInitialized: boolean;
}

interface Tally {
  pendingInit: number;
  initFailed: number;
  pendingSidecar: number;
  running: number;
  waiting: number;
  stopped: number;
  succeeded: number;
  /** Containers that have stopped and do not restart. */
  final: number;
  unknown: number;
}

/** Computes the phase of a Pod from its container statuses. Source: pkg/kubelet/kubelet_pods.go getPhase. */
export function podPhase(input: PhaseInput): PodPhase {
  const { spec, statuses, podIsTerminal, podHasInitialized } = input;
  const tally: Tally = {
    pendingInit: 0,
    initFailed: 0,
    pendingSidecar: 0,
    running: 0,
    waiting: 0,
    stopped: 0,
    succeeded: 0,
    final: 0,
    unknown: 0,
  };
  const byName = statusesByName(statuses);
  const statusOf = ({ name }: Container): ContainerStatus | undefined => byName.get(name);
  const restarts = (container: Container, exitCode: number, reason: string | undefined): boolean =>
    reason === TERMINATED.restartingAllContainers || shouldRestart(spec.restartPolicy, container, exitCode);

  for (const container of spec.initContainers ?? []) {
    if (isSidecar(container)) tallySidecar(tally, statusOf(container));
    else tallyInit(tally, container, statusOf(container), restarts);
  }
  for (const container of spec.containers) tallyRegular(tally, container, statusOf(container), restarts);

  if (tally.initFailed > 0) return 'Failed';
  const initializing = tally.pendingInit > 0 || (tally.pendingSidecar > 0 && !podHasInitialized);
  if (initializing || tally.waiting > 0) return 'Pending';
  if (tally.running > 0 && tally.unknown === 0) return 'Running';
  if (tally.running === 0 && tally.stopped > 0 && tally.unknown === 0) {
    const verdict = tally.stopped === tally.succeeded ? 'Succeeded' : 'Failed';
    if (podIsTerminal) return verdict;
    return tally.stopped === tally.final ? verdict : 'Running';
  }
  return 'Pending';
}

type Restarts = (container: Container, exitCode: number, reason: string | undefined) => boolean;

function tallyInit(tally: Tally, container: Container, status: ContainerStatus | undefined, restarts: Restarts): void {
  const ended = status?.state?.terminated ?? (status?.state?.waiting && status.lastState?.terminated);
  if (ended === undefined) tally.pendingInit++;
  else if (ended.exitCode !== 0 && !restarts(container, ended.exitCode, ended.reason)) tally.initFailed++;
}

function tallySidecar(tally: Tally, status: ContainerStatus | undefined): void {
  const state = status?.state;
  if (state?.running) {
    tally.running++;
    if (status?.started !== true) tally.pendingSidecar++;
  } else if (state?.waiting) {
    if (status?.lastState?.terminated) return;
    tally.pendingSidecar++;
    tally.waiting++;
  } else if (state?.terminated === undefined) {
    if (status !== undefined) tally.pendingSidecar++;
    tally.unknown++;
  }
}

function tallyRegular(
  tally: Tally,
  container: Container,
  status: ContainerStatus | undefined,
  restarts: Restarts,
): void {
  const state = status?.state;
  const ended = state?.terminated ?? (state?.waiting && status?.lastState?.terminated);
  if (state?.running) tally.running++;
  else if (ended) {
    tally.stopped++;
    if (state?.terminated?.exitCode === 0) tally.succeeded++;
    if (!restarts(container, ended.exitCode, ended.reason)) tally.final++;
  } else if (state?.waiting) tally.waiting++;
  else tally.unknown++;
}
