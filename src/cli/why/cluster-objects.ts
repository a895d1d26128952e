import {
  DEFAULT_NAMESPACE,
  type KubeObject,
  PodrunError,
  type PriorityClass,
  resourceTypeOf,
} from '../../api/index.ts';
import { loadManifests, renderManifestErrors, withPriority } from '../../manifest/index.ts';
import type { Cli } from '../base/cli.ts';
import { openStore } from '../base/environment.ts';
import { downloader, kustomized } from '../select/outside-inputs.ts';

/** The flags that choose the objects. */
export interface PlacementFlags {
  readonly filename: readonly string[];
  readonly kustomize: string | undefined;
  readonly recursive: boolean;
  readonly namespace: string | undefined;
}

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

/** True when the objects come from manifests. */
export function hasManifests({ filename, kustomize }: PlacementFlags): boolean {
  return filename.length > 0 || kustomize !== undefined;
}

/**
 * The objects that decide where Pods go: of the manifests, else of the store.
 * @throws {PodrunError} with every mistake of the manifests and its place
 */
export async function clusterObjects(cli: Cli, flags: PlacementFlags): Promise<readonly KubeObject[]> {
  if (hasManifests(flags)) return manifestObjects(cli, flags);
  const store = openStore(cli);
  return READ.flatMap((plural) => store.list(plural));
}

async function manifestObjects(cli: Cli, flags: PlacementFlags): Promise<KubeObject[]> {
  const { objects, unread, errors } = await loadManifests({
    files: flags.kustomize === undefined ? flags.filename : [await kustomized(cli, flags.kustomize)],
    recursive: flags.recursive,
    stdin: () => cli.stdin,
    download: downloader(cli),
    keepsUnread: true,
  });
  if (errors.length > 0) throw new PodrunError('InvalidManifest', renderManifestErrors(errors).join('\n'));
  const known = objects.map(({ object, written }) => (object.kind === 'Pod' ? asInCluster(object, written) : object));
  const all = [...known, ...unread.map(({ object }) => object)];
  return all.map((object) => inNamespace(object, flags.namespace || DEFAULT_NAMESPACE));
}

/** A Pod of a cluster keeps its node and its status, which `podrun apply` leaves out. */
function asInCluster(pod: KubeObject, written: KubeObject): KubeObject {
  const { nodeName } = (written['spec'] ?? {}) as { readonly nodeName?: string };
  return { ...pod, spec: { ...(pod['spec'] as object), nodeName }, status: written['status'] ?? {} };
}

function inNamespace(object: KubeObject, namespace: string): KubeObject {
  if (object.metadata.namespace || !resourceTypeOf(object).isNamespaced) return object;
  return { ...object, metadata: { ...object.metadata, namespace } };
}

/**
 * Gives Pods the priorities of their classes.
 * @throws {PodrunError} (Invalid) for a class that does not exist
 */
export function prioritized<T extends { readonly metadata: { readonly name: string } }>(
  pods: readonly T[],
  objects: readonly KubeObject[],
): T[] {
  const classes = objects.filter(({ kind }) => kind === 'PriorityClass') as unknown as PriorityClass[];
  return pods.map((pod) => {
    const outcome = withPriority(pod, classes);
    if ('problem' in outcome) throw new PodrunError('Invalid', `pod ${pod.metadata.name}: ${outcome.problem}`);
    return outcome.pod;
  });
}
