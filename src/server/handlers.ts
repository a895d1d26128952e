import type { ApiHandler, SubresourceHandlers, UpgradeHandler } from './answer.ts';
import { getObjectAnswer } from './reads/get.ts';
import { listAnswer } from './reads/list.ts';
import type { ApiRequest, ApiVerb } from './request.ts';
import { methodNotAllowed, noSuchPath, StatusError } from './status-error.ts';
import { STREAM_SUBRESOURCES } from './streams/index.ts';

/** The handlers of objects and collections, by verb. */
const OBJECT_HANDLERS: Partial<Readonly<Record<ApiVerb, ApiHandler>>> = {
  get: getObjectAnswer,
  list: listAnswer,
};

/** The handlers of subresources, by `PLURAL/SUBRESOURCE`. */
const SUBRESOURCE_HANDLERS: Readonly<Record<string, SubresourceHandlers>> = { ...STREAM_SUBRESOURCES };

/** @throws {StatusError} when the resource does not know the verb or the subresource */
export function handlerOf(request: ApiRequest): ApiHandler {
  const { resource, verb, subresource } = request;
  if (subresource === undefined) {
    const handler = resource.verbs.includes(verb) ? OBJECT_HANDLERS[verb] : undefined;
    if (handler === undefined) throw methodNotAllowed();
    return handler;
  }
  const handlers = subresourceHandlers(request);
  const handler = handlers.connect ?? handlers[verb as 'get'];
  if (handler === undefined) throw methodNotAllowed();
  return handler;
}

/** @throws {StatusError} when nothing of the resource takes over connections */
export function upgradeHandlerOf(request: ApiRequest): UpgradeHandler {
  const upgrade = request.subresource === undefined ? undefined : subresourceHandlers(request).upgrade;
  if (upgrade !== undefined) return upgrade;
  throw new StatusError({ code: 400, reason: 'BadRequest', message: 'this path has no upgrade', details: {} });
}

function subresourceHandlers({ resource, subresource = '' }: ApiRequest): SubresourceHandlers {
  const isServed = resource.subresources.some(({ name }) => name === subresource);
  const handlers = isServed ? SUBRESOURCE_HANDLERS[`${resource.plural}/${subresource}`] : undefined;
  if (handlers === undefined) throw noSuchPath();
  return handlers;
}
