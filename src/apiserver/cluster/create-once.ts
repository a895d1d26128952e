import { formatSeconds, hasCode, type KubeObject, shapeOfType, trackUpdate, typeOfKind } from '../../api/index.ts';
import type { Clock } from '../../clock.ts';
import type { ServerContext } from '../base/context.ts';

/** The manager of the fields that the API server writes itself. */
export const SERVER_MANAGER = 'kube-apiserver';

/** Stores an object that the server has in any case. Another process may have made it first. */
export function createOnce({ store }: Pick<ServerContext, 'store'>, resource: string, object: KubeObject): void {
  try {
    store.create(resource, object);
  } catch (error) {
    if (!hasCode(error, 'AlreadyExists')) throw error;
  }
}

/** Stores an object that the API server makes itself. */
export function createAsServer(
  context: Pick<ServerContext, 'store' | 'clock'>,
  resource: string,
  object: KubeObject,
): void {
  createOnce(context, resource, madeByServer(object, context.clock));
}

/** An object that the API server makes itself: it has its fields, as its clients have theirs. */
export function madeByServer(object: KubeObject, clock: Clock): KubeObject {
  const { apiVersion, kind } = object;
  const write = {
    shape: shapeOfType(typeOfKind(apiVersion, kind)),
    manager: SERVER_MANAGER,
    subresource: '',
    hasStatus: object['status'] !== undefined,
    time: formatSeconds(clock.now().wallMs),
  };
  return trackUpdate(undefined, object, write);
}
