import { isTerminalPhase, PROGRESS_DEADLINE_EXCEEDED, trueCondition, type Workload } from '../../api/index.ts';
import type { FollowedPod, RowPart, StatusRow } from '../live/status-row.ts';
import { isSettled, progressText } from './progress.ts';

/** A workload in the live view, with its Pods. */
export interface FollowedWorkload {
  readonly workload: Workload;
  readonly pods: readonly FollowedPod[];
}

/** The Pods of a workload that have not ended. */
export function livePods({ pods }: FollowedWorkload): FollowedPod[] {
  return pods.filter(({ pod }) => !isTerminalPhase(pod.status.phase));
}

/**
 * The line of a workload in the status block: its name, its progress, the addresses that lead to it.
 * @param addresses the addresses of this workload
 */
export function workloadRow(followed: FollowedWorkload, addresses: readonly FollowedAddress[]): StatusRow {
  const { workload } = followed;
  return {
    depth: 0,
    sign: '',
    name: workload.metadata.name,
    status: `${progressText(workload)}${runningText(followed)}`,
    tone: hasFailed(workload) ? 'bad' : isWell(workload) ? 'good' : 'info',
    rest: [],
    urls: urlParts(addresses),
  };
}

/** The number of running Pods of a Job, which its other numbers leave out. */
function runningText({ workload: { kind }, pods }: FollowedWorkload): string {
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

/** A Service or an Ingress in the live view. */
export interface FollowedAddress {
  /** `service/web`, `ingress/web`. */
  readonly name: string;
  /** The addresses at which this machine reaches it: `http://127.96.0.12:8080`. */
  readonly urls: readonly string[];
  /** True when it leads to a ready Pod. */
  readonly isServed: boolean;
  /** The reason why podrun cannot serve it: another program has its port. */
  readonly trouble: string | undefined;
  /** The uid of the workload to whose Pods it leads. Undefined: none is known. */
  readonly workload: string | undefined;
}

/** The addresses as parts of a line. An address without a ready Pod is red. */
function urlParts(addresses: readonly FollowedAddress[]): RowPart[] {
  return addresses.flatMap(({ urls, isServed }) => {
    return urls.map((text): RowPart => ({ text, tone: isServed ? 'info' : 'bad' }));
  });
}

/** The line of an address that belongs to no workload, or that podrun cannot serve. */
export function addressRow(address: FollowedAddress): StatusRow {
  const { name, isServed, trouble } = address;
  return {
    depth: 0,
    sign: '',
    name,
    status: trouble === undefined ? (isServed ? 'served' : 'no Pod is ready') : 'not served',
    tone: isServed && trouble === undefined ? 'good' : 'bad',
    rest: trouble === undefined ? [] : [{ text: trouble, tone: 'bad' }],
    // The address of another program is none of podrun's.
    urls: trouble === undefined ? urlParts([address]) : [],
  };
}
