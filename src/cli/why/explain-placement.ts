import { DEFAULT_NAMESPACE, EXIT, type KubeObject, PodrunError, type StoredPod, usage } from '../../api/index.ts';
import { expectedPods } from '../../controllers/index.ts';
import {
  type PlacedPod,
  placePods,
  pluginsFor,
  readCluster,
  type SchedulingNode,
  type Snapshot,
} from '../../lifecycle/index.ts';
import { renderPlacement, renderPlacements, renderPlacementsJson } from '../../print/index.ts';
import { nodeSettings, readConfigFile, ClusterNodes } from '../../settings/index.ts';
import { nodesOfFlags } from '../apply/apply-input.ts';
import type { Cli } from '../base/cli.ts';
import { openStore } from '../base/environment.ts';
import { podArgument } from '../select/resource-arguments.ts';
import type { ManifestFlags } from '../select/manifest-objects.ts';
import { namesFiles } from '../select/selection-flags.ts';
import { clusterObjects, prioritized } from './cluster-objects.ts';

export interface WhyFlags extends ManifestFlags {
  readonly nodes?: number;
  readonly zones?: number;
  readonly seed: string;
  readonly output: WhyOutput | undefined;
}

export type WhyOutput = 'text' | 'json';

/** Prints which node each Pod gets, or for one Pod the answer of each plugin about each node. */
export async function explainPlacement(cli: Cli, word: string | undefined, flags: WhyFlags): Promise<number> {
  const name =
    word === undefined ? undefined : podArgument(word, (plural) => `podrun why explains Pods, not ${plural}`);
  if (!/^\d+$/.test(flags.seed)) throw usage(`--seed must be a whole number, not "${flags.seed}"`);
  const objects = [...(await clusterObjects(cli, flags)), ...declaredNodes(cli, flags)];
  const hasNodes = objects.some(({ kind }) => kind === 'Node');
  const snapshot = readCluster(objects.map(withStatus), hasNodes ? [] : nodesOf(cli));
  const namespace = flags.namespace || DEFAULT_NAMESPACE;
  const named = (pod: StoredPod): boolean => pod.metadata.name === name && pod.metadata.namespace === namespace;
  const pods = namesFiles(flags) ? openPods(objects, snapshot) : storedPods(objects, named);
  const placed = placePods(prioritized(pods, objects), withoutPods(snapshot, pods), {
    seed: Number(flags.seed),
    ...(!hasNodes && { profile: pluginsFor(snapshot.nodes.length) }),
  });
  const wanted = name === undefined ? placed : placed.filter(({ pod }) => named(pod));
  if (name !== undefined && wanted.length === 0) {
    throw new PodrunError('NotFound', `pods "${name}" not found${knownPods(placed)}`);
  }
  cli.stdout.write(rendered(wanted, name !== undefined, flags.output));
  return wanted.every(({ nodeName }) => nodeName !== undefined) ? EXIT.ok : EXIT.failed;
}

function rendered(placed: readonly PlacedPod[], isDetailed: boolean, output: WhyOutput | undefined): string {
  if (output === 'json') return renderPlacementsJson(placed);
  return isDetailed ? placed.map(renderPlacement).join('\n') : renderPlacements(placed);
}

function knownPods(placed: readonly PlacedPod[]): string {
  const names = placed.slice(0, 10).map(({ pod }) => pod.metadata.name);
  return names.length === 0 ? '' : `; the Pods to place are ${names.join(', ')}`;
}

/** The Pods of manifests that have no node yet. */
function openPods(objects: readonly KubeObject[], { nodes }: Snapshot): StoredPod[] {
  const pods = objects.flatMap((object) =>
    expectedPods(
      object,
      nodes.map(({ node }) => node),
    ),
  );
  return pods.filter(({ spec }) => !spec.nodeName);
}

/** The Pods of the store without a node, and the named one as if it had none. */
function storedPods(objects: readonly KubeObject[], isNamed: (pod: StoredPod) => boolean): StoredPod[] {
  const pods = objects.filter(({ kind }) => kind === 'Pod') as unknown as StoredPod[];
  return pods
    .filter((pod) => !pod.spec.nodeName || isNamed(pod))
    .map((pod) => ({ ...pod, spec: { ...pod.spec, nodeName: undefined } }));
}

/** The same cluster without Pods that are to be placed. */
function withoutPods(snapshot: Snapshot, pods: readonly StoredPod[]): Snapshot {
  const uids = new Set(pods.map(({ metadata }) => metadata.uid));
  const nodes = snapshot.nodes.map((state) => ({
    ...state,
    pods: state.pods.filter(({ metadata }) => !uids.has(metadata.uid)),
  }));
  return { ...snapshot, nodes };
}

/** A Pod of a manifest has no status. */
function withStatus(object: KubeObject): KubeObject {
  return object.kind === 'Pod' ? { status: {}, ...object } : object;
}

/**
 * The nodes of `--nodes`, else, beside manifests, the nodes of podrun.yaml. Each has what this machine has, unless it
 * says otherwise.
 */
function declaredNodes(cli: Cli, flags: WhyFlags): KubeObject[] {
  const ofFile = namesFiles(flags) ? readConfigFile({ path: undefined, cwd: cli.cwd })?.nodes : undefined;
  const declared = nodesOfFlags(flags) ?? ofFile ?? [];
  const [machine] = declared.length === 0 ? [] : nodesOf(cli);
  return declared.map(({ name, labels, taints, unschedulable, capacity, allocatable }) => ({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: { ...machine?.labels, 'kubernetes.io/hostname': name, ...labels } },
    spec: { taints, unschedulable },
    status: { allocatable: { ...machine?.allocatable, ...capacity, ...allocatable } },
  }));
}

/** The nodes of the state folder, with what podrun.yaml says about them. */
function nodesOf(cli: Cli): readonly SchedulingNode[] {
  const store = openStore(cli);
  return new ClusterNodes(store, store.root, nodeSettings(readConfigFile({ cwd: cli.cwd }))).all;
}
