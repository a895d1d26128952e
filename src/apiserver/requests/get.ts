import type { StoredKubeObject } from '../../api/index.ts';
import type { ApiAnswer } from '../base/answer.ts';
import type { ServerContext } from '../base/context.ts';
import type { ApiRequest } from '../base/request.ts';
import { shownObject } from '../custom/index.ts';
import { inVersionOf } from '../resources/served-resource.ts';
import { notFoundStatus } from '../base/status-error.ts';
import { awaitVersion } from './versions.ts';

/** Responds with an object. */
export async function getObjectAnswer(request: ApiRequest, context: ServerContext): Promise<ApiAnswer> {
  await awaitVersion(request, context);
  return { object: await shownObjectOf(request, context) };
}

type ObjectPath = Pick<ApiRequest, 'resource' | 'namespace' | 'name'>;

/**
 * The object that a path names, in the version of the path.
 * @throws {StatusError} 404; 500 when its conversion webhook fails
 */
export async function shownObjectOf(path: ObjectPath, context: ServerContext): Promise<StoredKubeObject> {
  return shownObject(path.resource, storedObjectOf(path, context), context);
}

/**
 * The object that a path names, of a kind without a conversion webhook.
 * @throws {StatusError} 404
 */
export function objectOf(path: ObjectPath, context: ServerContext): StoredKubeObject {
  return inVersionOf(path.resource, storedObjectOf(path, context));
}

/**
 * The object that a path names, as it is stored.
 * @throws {StatusError} 404
 */
export function storedObjectOf(
  { resource, namespace, name = '' }: ObjectPath,
  { objects }: ServerContext,
): StoredKubeObject {
  const object = objects.get(resource.storage, namespace, name);
  if (object === undefined) throw notFoundStatus(resource, name);
  return object;
}
