import { hasCode, type KubeObject, type ResourceType, resourceTypeOf } from '../../api/index.ts';
import { type NeededObject, neededObjects } from '../../manifest/index.ts';
import { type ClusterConnection, objectPathOf } from '../base/connection.ts';
import { portableObject } from './portable-object.ts';

export interface PullRequestOfManifest {
  readonly type: ResourceType;
  readonly namespace: string;
  readonly name: string;
  /** Pull what Pods read of these kinds, too. */
  readonly withKinds: ReadonlySet<NeededObject['kind']>;
  /** True: the values of Secrets are replaced. */
  readonly redact: boolean;
}

/** The objects of a manifest, what Pods read first, and a sentence for each thing that is left out. */
export interface PulledManifest {
  readonly objects: readonly KubeObject[];
  readonly leftOut: readonly string[];
}

const REDACTED = 'REDACTED';

/**
 * Makes a manifest that runs elsewhere out of an object of a cluster.
 * @throws {PodrunError} when there is no such object, or the cluster does not let it be read
 */
export async function pullManifest(
  connection: ClusterConnection,
  { type, namespace, name, withKinds, redact }: PullRequestOfManifest,
): Promise<PulledManifest> {
  const get = (of: ResourceType, named: string): Promise<KubeObject> =>
    connection.request({ method: 'GET', path: objectPathOf(of, namespace, named) });
  const { object, leftOut } = portableObject(typed(await get(type, name), type));
  const objects: KubeObject[] = [];
  const missing: string[] = [];
  for (const { kind, name: other } of neededObjects(object)) {
    const label = `${kind} ${other}`;
    if (!withKinds.has(kind)) missing.push(`${label}: ${HINTS[kind]}`);
    else {
      const data = await get(resourceTypeOf({ apiVersion: 'v1', kind }), other).catch((error: unknown) => {
        if (!hasCode(error, 'NotFound')) throw error;
        missing.push(`${label}: the cluster does not have it`);
      });
      if (data) objects.push(dataObject(typed(data, { apiVersion: 'v1', kind }), redact));
    }
  }
  return { objects: [...objects, object], leftOut: [...leftOut, ...missing] };
}

const HINTS: Readonly<Record<NeededObject['kind'], string>> = {
  ConfigMap: '--configmaps brings it along',
  Secret: '--secrets brings it along',
  PersistentVolumeClaim: 'its data is on the cluster; apply a claim of this name first',
};

/** Adds kind and version, which the API server leaves out in some responses. */
function typed(object: KubeObject, { apiVersion, kind }: Pick<ResourceType, 'apiVersion' | 'kind'>): KubeObject {
  return { ...object, apiVersion, kind };
}

function dataObject(original: KubeObject, redact: boolean): KubeObject {
  const { object } = portableObject(original);
  const { data } = object as { readonly data?: Readonly<Record<string, string>> };
  if (!redact || object.kind !== 'Secret' || data === undefined) return object;
  const { data: _, ...rest } = object as KubeObject & { readonly data: unknown };
  return { ...rest, stringData: Object.fromEntries(Object.keys(data).map((key) => [key, REDACTED])) };
}
