import { type KubeObject, PodrunError, type PriorityClass, type StoredPod } from '../../api/index.ts';
import { withPriority } from '../../manifest/index.ts';
import type { Cli } from '../base/cli.ts';
import { openStore } from '../base/environment.ts';
import { inNamespace, type ManifestFlags, readManifests } from '../select/manifest-objects.ts';
import { namesFiles } from '../select/selection-flags.ts';

const READ = [
  'pods',
  'namespaces',
  'services',
  'replicasets',
  'statefulsets',
  'replicationcontrollers',
  'poddisruptionbudgets',
  'persistentvolumeclaims',
  'persistentvolumes',
  'storageclasses',
];

/**
 * The objects that decide where Pods go: of the manifests, else of the store.
 * @throws {PodrunError} with every mistake of the manifests and its place
 */
export async function clusterObjects(cli: Cli, flags: ManifestFlags): Promise<readonly KubeObject[]> {
  if (namesFiles(flags)) return manifestObjects(cli, flags);
  const store = openStore(cli);
  return READ.flatMap((plural) => store.list(plural));
}

async function manifestObjects(cli: Cli, flags: ManifestFlags): Promise<KubeObject[]> {
  const { objects, unread } = await readManifests(cli, flags);
  const known = objects.map(({ object, written }) => (object.kind === 'Pod' ? asInCluster(object, written) : object));
  const all = [...known, ...unread.map(({ object }) => object)];
  return all.map((object) => inNamespace(object, flags.namespace));
}

/** A Pod of a cluster keeps its node and its status, which `podrun apply` leaves out. */
function asInCluster(pod: KubeObject, written: KubeObject): KubeObject {
  const { nodeName } = (written['spec'] ?? {}) as { readonly nodeName?: string };
  return { ...pod, spec: { ...(pod['spec'] as object), nodeName }, status: written['status'] ?? {} };
}

/**
 * Gives Pods the priorities of their classes. A Pod of a cluster or of the store has one already.
 * @throws {PodrunError} (Invalid) for a class that does not exist
 */
export function prioritized(pods: readonly StoredPod[], objects: readonly KubeObject[]): StoredPod[] {
  const classes = objects.filter(({ kind }) => kind === 'PriorityClass') as unknown as PriorityClass[];
  return pods.map((pod) => {
    if (pod.spec.priority !== undefined) return pod;
    const outcome = withPriority(pod, classes);
    if ('problem' in outcome) throw new PodrunError('Invalid', `pod ${pod.metadata.name}: ${outcome.problem}`);
    return outcome.pod;
  });
}
