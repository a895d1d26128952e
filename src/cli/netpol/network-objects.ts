import { DEFAULT_NAMESPACE, type KubeObject, PodrunError, resourceTypeOf } from '../../api/index.ts';
import type { PolicyNamespace, PolicyObject } from '../../controllers/index.ts';
import { loadManifests, podIn, renderManifestErrors } from '../../manifest/index.ts';
import type { PolicyPlace } from '../../print/index.ts';
import type { Cli } from '../base/cli.ts';
import { openStore } from '../base/environment.ts';
import { downloader, kustomized } from '../select/outside-inputs.ts';

/** The flags that choose the objects. */
export interface NetworkObjectsFlags {
  readonly filename: readonly string[];
  readonly kustomize: string | undefined;
  readonly recursive: boolean;
  readonly namespace: string | undefined;
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
  const hasManifests = flags.filename.length > 0 || flags.kustomize !== undefined;
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
  const { objects, errors } = await loadManifests({
    files: flags.kustomize === undefined ? flags.filename : [await kustomized(cli, flags.kustomize)],
    recursive: flags.recursive,
    stdin: () => cli.stdin,
    download: downloader(cli),
  });
  if (errors.length > 0) throw new PodrunError('InvalidManifest', renderManifestErrors(errors).join('\n'));
  return objects.flatMap(({ object, file, line }) => {
    const isRead = podIn(object) !== undefined || ['NetworkPolicy', 'Namespace', 'Service'].includes(object.kind);
    if (!isRead) return [];
    const namespaced = inNamespace(object, flags.namespace || DEFAULT_NAMESPACE);
    places.set(namespaced, `${file}:${line}`);
    return [namespaced];
  });
}

function inNamespace(object: KubeObject, namespace: string): KubeObject {
  if (!resourceTypeOf(object).isNamespaced || object.metadata.namespace) return object;
  return { ...object, metadata: { ...object.metadata, namespace } };
}
