import {
  controllerOf,
  isMirrorPod,
  isTerminalPhase,
  noSuchObject,
  type StoredKubeObject,
  type StoredPod,
  usage,
} from '../../api/index.ts';
import { withClusterObjects } from '../../apiserver/index.ts';
import { setCordoned } from '../../settings/index.ts';
import type { FileStore, ObjectReader } from '../../store/index.ts';
import type { Cli } from '../base/cli.ts';

/** The Pods that a drain may evict or leave alone, although they are lost for good. */
export interface DrainPermits {
  readonly force: boolean;
  readonly ignoreDaemonsets: boolean;
  readonly deleteEmptydirData: boolean;
}

interface BlockedPods {
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
  const unmanaged = live.filter((pod) => controllerOf(pod) === undefined);
  const local = live.filter(
    (pod) => !daemons.includes(pod) && (pod.spec.volumes ?? []).some(({ emptyDir }) => emptyDir !== undefined),
  );
  const cases = [
    {
      pods: unmanaged,
      isAllowed: force,
      refusal: 'cannot delete Pods that declare no controller (use --force to override)',
      warning: 'deleting Pods that declare no controller',
    },
    {
      pods: daemons,
      isAllowed: ignoreDaemonsets,
      refusal: 'cannot delete DaemonSet-managed Pods (use --ignore-daemonsets to ignore)',
      warning: 'ignoring DaemonSet-managed Pods',
    },
    {
      pods: local,
      isAllowed: deleteEmptydirData,
      refusal: 'cannot delete Pods with local storage (use --delete-emptydir-data to override)',
      warning: undefined,
    },
  ].filter(({ pods }) => pods.length > 0);
  const named = (text: string, blocked: readonly StoredPod[]): string =>
    `${text}: ${blocked.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`).join(', ')}`;
  return {
    evicted: pods.filter((pod) => !daemons.includes(pod)),
    errors: cases.flatMap(({ pods, isAllowed, refusal }) => (isAllowed ? [] : [named(refusal, pods)])),
    warnings: cases.flatMap(({ pods, warning }) => (warning === undefined ? [] : [named(warning, pods)])),
  };
}

/**
 * The name of the node that a command means.
 * @throws {PodrunError} for a missing name, and for a node that does not exist
 */
export function nodeArgument(store: FileStore, word: string | undefined, command: string): string {
  const nodes = withClusterObjects(store, { stateDir: store.root, nowMs: 0 }).list<StoredKubeObject>('nodes');
  const names = nodes.map(({ metadata }) => metadata.name);
  const known = names.length === 1 ? `The only node is ${names[0]}.` : `The nodes are ${names.join(', ')}.`;
  if (word === undefined) throw usage(`USAGE: podrun ${command} NODE [flags]`, known);
  const wanted = word.replace(/^nodes?\//, '');
  if (!names.includes(wanted)) throw noSuchObject('nodes', wanted, known);
  return wanted;
}

/** Cordons or uncordons the node, and prints kubectl's line. */
export function cordon(cli: Cli, store: FileStore, node: string, wanted: boolean): void {
  const word = wanted ? 'cordoned' : 'uncordoned';
  const isChanged = setCordoned(store, cli.clock, node, wanted);
  cli.stdout.write(`node/${node} ${isChanged ? word : `already ${word}`}\n`);
}
