import {
  fromServer,
  hasCode,
  type KubeObject,
  qualifiedPlural,
  type ResourceType,
  resourceTypeOf,
  type StoredKubeObject,
} from '../api/index.ts';
import { type Clock, sleep } from '../clock.ts';
import { type ClusterConnection, collectionPath, objectPathOf } from './base/connection.ts';

/** The label of everything that a run of podrun creates on a cluster. Its value names the run. */
export const RUN_LABEL = 'podrun.dev/run';

/** Names an object that a run has created, well enough to remove it. */
export interface CreatedObject {
  readonly type: Pick<ResourceType, 'apiVersion' | 'isNamespaced' | 'kind' | 'plural'>;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/**
 * The interval at which podrun looks for the default ServiceAccount of a new namespace, milliseconds, and the number of
 * looks.
 */
const LOOK_MS = 100;
const LOOKS_MAX = 100;

/**
 * Creates an object with the label of the run. Nothing that exists already is touched.
 * @param type the type of its kind. Default: a kind of Kubernetes
 */
export async function createOn(
  connection: ClusterConnection,
  runId: string,
  namespace: string,
  object: KubeObject,
  type: ResourceType = resourceTypeOf(object),
): Promise<StoredKubeObject> {
  const labels = { ...object.metadata.labels, [RUN_LABEL]: runId };
  const { resourceVersion: _, ...metadata } = { ...object.metadata, labels };
  const body = { ...object, metadata: type.isNamespaced ? { ...metadata, namespace } : metadata };
  try {
    return await connection.request({ method: 'POST', path: collectionPath(type, namespace), body });
  } catch (error) {
    if (!hasCode(error, 'AlreadyExists')) throw error;
    throw fromServer(
      'AlreadyExists',
      `${qualifiedPlural(type)} "${metadata.name}" already exists in namespace "${namespace}" of the cluster`,
      'podrun changes nothing that it has not created. Without --namespace, a run has a namespace of its own.',
    );
  }
}

/** Resolves when Pods can be created in a new namespace, as far as podrun may look. */
export async function namespaceReady(connection: ClusterConnection, clock: Clock, name: string): Promise<void> {
  const account = { apiVersion: 'v1', kind: 'ServiceAccount' };
  const path = objectPathOf(resourceTypeOf(account), name, 'default');
  for (let looks = 0; looks < LOOKS_MAX; looks += 1) {
    try {
      await connection.request({ method: 'GET', path });
      return;
    } catch (error) {
      if (hasCode(error, 'Forbidden')) return;
      if (!hasCode(error, 'NotFound')) throw error;
    }
    await sleep(clock, LOOK_MS);
  }
}

/**
 * Asks the cluster to remove an object, with all that it owns. Does nothing when it is gone, or replaced by another
 * object of its name.
 * @param graceSeconds undefined: each Pod's own
 */
export async function removeFrom(
  connection: ClusterConnection,
  { type, namespace, name, uid }: CreatedObject,
  graceSeconds?: number,
): Promise<void> {
  const body = {
    kind: 'DeleteOptions',
    apiVersion: 'v1',
    propagationPolicy: 'Background',
    preconditions: { uid },
    ...(graceSeconds !== undefined && { gracePeriodSeconds: graceSeconds }),
  };
  const path = objectPathOf(type, namespace, name);
  try {
    await connection.request({ method: 'DELETE', path, body });
  } catch (error) {
    if (!hasCode(error, 'NotFound') && !hasCode(error, 'Conflict')) throw error;
  }
}

export function createdObject(
  object: Pick<StoredKubeObject, 'apiVersion' | 'kind' | 'metadata'>,
  namespace: string,
  type: CreatedObject['type'] = resourceTypeOf(object),
): CreatedObject {
  const { name, uid } = object.metadata;
  return { type, namespace, name, uid };
}
