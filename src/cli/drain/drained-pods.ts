import { controllerOf, isMirrorPod, isTerminalPhase, type StoredPod } from '../../api/index.ts';
import type { ObjectReader } from '../../store/index.ts';

/** The Pods that a drain may evict or leave alone, although they are lost for good. */
export interface DrainPermits {
  readonly force: boolean;
  readonly ignoreDaemonsets: boolean;
  readonly deleteEmptydirData: boolean;
}

export interface BlockedPods {
  readonly evicted: readonly StoredPod[];
  readonly warnings: readonly string[];
  /** The reasons why nothing is evicted, in kubectl's words. */
  readonly errors: readonly string[];
}

/** The Pods of the node, static ones left out. */
export function podsToDrain(store: ObjectReader, node: string): StoredPod[] {
  return store.list<StoredPod>('pods').filter((pod) => pod.spec.nodeName === node && !isMirrorPod(pod));
}

/** Sorts Pods by whether they may be evicted. Source: staging/src/k8s.io/kubectl/pkg/drain/filters.go. */
export function blockedPods(
  pods: readonly StoredPod[],
  { force, ignoreDaemonsets, deleteEmptydirData }: DrainPermits,
): BlockedPods {
  const live = pods.filter(({ status }) => !isTerminalPhase(status.phase));
  const daemons = pods.filter((pod) => controllerOf(pod)?.kind === 'DaemonSet');
  const alone = live.filter((pod) => controllerOf(pod) === undefined);
  const local = live.filter(
    (pod) => !daemons.includes(pod) && (pod.spec.volumes ?? []).some(({ emptyDir }) => emptyDir !== undefined),
  );
  const cases = [
    {
      found: alone,
      isAllowed: force,
      refusal: 'cannot delete Pods that declare no controller (use --force to override)',
      warning: 'deleting Pods that declare no controller',
    },
    {
      found: daemons,
      isAllowed: ignoreDaemonsets,
      refusal: 'cannot delete DaemonSet-managed Pods (use --ignore-daemonsets to ignore)',
      warning: 'ignoring DaemonSet-managed Pods',
    },
    {
      found: local,
      isAllowed: deleteEmptydirData,
      refusal: 'cannot delete Pods with local storage (use --delete-emptydir-data to override)',
      warning: undefined,
    },
  ].filter(({ found }) => found.length > 0);
  const named = (text: string, found: readonly StoredPod[]): string =>
    `${text}: ${found.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`).join(', ')}`;
  return {
    evicted: pods.filter((pod) => !daemons.includes(pod)),
    errors: cases.flatMap(({ found, isAllowed, refusal }) => (isAllowed ? [] : [named(refusal, found)])),
    warnings: cases.flatMap(({ found, warning }) => (warning === undefined ? [] : [named(warning, found)])),
  };
}
