import { isTerminalPhase, PROGRESS_DEADLINE_EXCEEDED, trueCondition, type Workload } from '../../api/index.ts';
import { ageText } from '../live/current-activity.ts';
import type { FollowedPod, RowPriority, StatusRow } from '../live/status-row.ts';
import { isSettled, podCounts, progressText } from './progress.ts';

/** A workload in the live view, with its Pods. */
export interface FollowedWorkload {
  readonly workload: Workload;
  readonly pods: readonly FollowedPod[];
}

/** From this number of Pods on, healthy Pods have no lines of their own. */
const FOLDED_FROM = 6;

/** The Pods of a workload with lines of their own: of many, only the unhealthy ones. */
export function unfolded({ pods }: FollowedWorkload, priorityOf: (pod: FollowedPod) => RowPriority): FollowedPod[] {
  const left = pods.filter(({ pod }) => !isTerminalPhase(pod.status.phase));
  return left.length < FOLDED_FROM ? left : left.filter((pod) => priorityOf(pod) < 2);
}

/** The line of a workload in the status block. */
export function workloadRow({ workload, pods }: FollowedWorkload, nowMs: number): StatusRow {
  const { kind, metadata } = workload;
  const counts = podCounts(workload);
  const restarts = pods
    .flatMap(({ pod }) => pod.status.containerStatuses ?? [])
    .reduce((sum, { restartCount }) => sum + restartCount, 0);
  return {
    sign: '',
    name: metadata.name,
    ready: counts === undefined ? '' : `${counts.ready}/${counts.wanted}`,
    status: kind,
    restarts: String(restarts),
    age: ageText(metadata.creationTimestamp, nowMs),
    now: `${progressText(workload)}${runningText(workload, pods)}`,
    tone: hasFailed(workload) ? 'bad' : isWell(workload) ? 'good' : 'info',
  };
}

/** The number of running Pods of a Job, which its other numbers leave out. */
function runningText({ kind }: Workload, pods: readonly FollowedPod[]): string {
  const running = pods.filter(({ pod }) => pod.status.phase === 'Running').length;
  return kind === 'Job' && running > 0 ? `, ${running} running` : '';
}

function hasFailed(workload: Workload): boolean {
  if (workload.kind === 'Job') return trueCondition(workload.status ?? {}, 'Failed') !== undefined;
  if (workload.kind !== 'Deployment') return false;
  return workload.status?.conditions?.some(({ reason }) => reason === PROGRESS_DEADLINE_EXCEEDED) === true;
}

function isWell(workload: Workload): boolean {
  if (workload.kind === 'Job') return trueCondition(workload.status ?? {}, 'Complete') !== undefined;
  return workload.kind === 'CronJob' || isSettled(workload);
}
