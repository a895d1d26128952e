import type { StoredKubeObject } from '../../api/objects.ts';
import type { ApiAnswer } from '../answer.ts';
import type { ServerContext } from '../context.ts';
import type { ApiRequest } from '../request.ts';
import { inVersionOf } from '../resources/served-resource.ts';
import { notFoundStatus } from '../status-error.ts';
import { awaitVersion } from './versions.ts';

/** Answers an object. */
export async function getObjectAnswer(request: ApiRequest, context: ServerContext): Promise<ApiAnswer> {
  await awaitVersion(request, context);
  return { object: objectOf(request, context) };
}

/**
 * The object that a path names.
 * @throws {StatusError} 404
 */
export function objectOf(
  { resource, namespace, name = '' }: Pick<ApiRequest, 'resource' | 'namespace' | 'name'>,
  { objects }: ServerContext,
): StoredKubeObject {
  const object = objects.get(resource.storage, namespace, name);
  if (object === undefined) throw notFoundStatus(resource, name);
  return inVersionOf(resource, object);
}
