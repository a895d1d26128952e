import type { KubeObject } from '../../api/index.ts';
import type { PolicyNamespace, PolicyObject } from '../../controllers/index.ts';
import { podIn } from '../../manifest/index.ts';
import type { PolicyPlace } from '../../print/index.ts';
import type { Cli } from '../base/cli.ts';
import { openStore } from '../base/environment.ts';
import { inNamespace, type ManifestFlags, readManifests } from '../select/manifest-objects.ts';
import { namesFiles } from '../select/selection-flags.ts';

/** The flags that choose the objects. */
export interface NetworkObjectsFlags extends ManifestFlags {
  readonly stored: boolean;
}

/** The objects that decide about connections, and ends of connections. */
export interface NetworkObjects {
  readonly policies: readonly PolicyObject[];
  readonly namespaces: readonly PolicyNamespace[];
  /** All objects, each in a namespace. */
  readonly all: readonly KubeObject[];
  /** Undefined for a policy of the store. */
  readonly placeOf: PolicyPlace;
}

const READ = ['networkpolicies', 'namespaces', 'pods', 'services'];
const WITH_TEMPLATES = ['deployments', 'statefulsets', 'daemonsets', 'replicasets', 'jobs', 'cronjobs'];

/**
 * Reads the objects of manifests, or of the store. A manifest's object takes the place of a stored one.
 * @throws {PodrunError} with every mistake of the manifests and its place
 */
export async function readNetworkObjects(cli: Cli, flags: NetworkObjectsFlags): Promise<NetworkObjects> {
  const places = new Map<KubeObject, string>();
  const hasManifests = namesFiles(flags);
  const written = hasManifests ? await manifestObjects(cli, flags, places) : [];
  const stored = hasManifests && !flags.stored ? [] : storedObjects(cli);
  const all = [...new Map([...stored, ...written].map((object) => [keyOf(object), object])).values()];
  const ofKind = (kind: string): KubeObject[] => all.filter((object) => object.kind === kind);
  return {
    policies: ofKind('NetworkPolicy'),
    namespaces: ofKind('Namespace'),
    all,
    placeOf: (policy) => places.get(policy as KubeObject),
  };
}

function keyOf({ kind, metadata }: KubeObject): string {
  return `${kind} ${metadata.namespace ?? ''}/${metadata.name ?? ''}`;
}

function storedObjects(cli: Cli): KubeObject[] {
  const store = openStore(cli);
  return [...READ, ...WITH_TEMPLATES].flatMap((plural) => store.list(plural));
}

async function manifestObjects(
  cli: Cli,
  flags: NetworkObjectsFlags,
  places: Map<KubeObject, string>,
): Promise<KubeObject[]> {
  const { objects } = await readManifests(cli, flags);
  return objects.flatMap(({ object, file, line }) => {
    const isRead = podIn(object) !== undefined || ['NetworkPolicy', 'Namespace', 'Service'].includes(object.kind);
    if (!isRead) return [];
    const namespaced = inNamespace(object, flags.namespace);
    places.set(namespaced, `${file}:${line}`);
    return [namespaced];
  });
}
