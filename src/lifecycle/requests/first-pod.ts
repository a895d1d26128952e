import type { StoredPod } from '../../api/index.ts';

/**
 * Chooses one of several Pods with the same work: scheduled before unscheduled, then running, then ready, then longest
 * ready, then fewest restarts, then oldest. Source: kubectl/pkg/util/podutils/podutils.go ActivePods, in reverse.
 */
export function firstPod(pods: readonly StoredPod[]): StoredPod | undefined {
  return pods.toSorted((a, b) => compareRanks(rankOf(a), rankOf(b)))[0];
}

type Rank = ReadonlyArray<number | string>;

/**
 * Chooses the Pod whose log is shown: as above, but ended Pods count as running, and many restarts come first.
 * Source: kubectl/pkg/util/podutils/podutils.go ByLogging.
 */
export function firstLoggedPod(pods: readonly StoredPod[]): StoredPod | undefined {
  const rankOfLog = (pod: StoredPod): Rank => {
    const [unscheduled = 0, , notReady = 0, readySince = '', restarts = 0, created = ''] = rankOf(pod);
    const phase = Math.max(0, LOG_PHASES.indexOf(pod.status.phase ?? ''));
    return [unscheduled, phase, notReady, readySince, -Number(restarts), created];
  };
  return pods.toSorted((a, b) => compareRanks(rankOfLog(a), rankOfLog(b)))[0];
}

const PHASES = ['Running', 'Unknown', 'Pending'];
const LOG_PHASES = ['', 'Unknown', 'Pending'];

/** The rank of a Pod. The smallest rank is chosen. */
function rankOf({ metadata, spec, status }: StoredPod): Rank {
  const ready = status.conditions?.find(({ type }) => type === 'Ready');
  const isReady = ready?.status === 'True';
  const phase = PHASES.indexOf(status.phase ?? '');
  const restarts = (status.containerStatuses ?? []).map(({ restartCount }) => restartCount ?? 0);
  return [
    spec.nodeName === undefined ? 1 : 0,
    phase < 0 ? PHASES.length : phase,
    isReady ? 0 : 1,
    isReady ? (ready.lastTransitionTime ?? '') : '',
    Math.max(0, ...restarts),
    metadata.creationTimestamp ?? '',
  ];
}

function compareRanks(a: Rank, b: Rank): number {
  const index = a.findIndex((value, at) => value !== b[at]);
  if (index < 0) return 0;
  return (a[index] ?? 0) < (b[index] ?? 0) ? -1 : 1;
}
