import { formatSeconds, type KubeObject, managerName, trackUpdate } from '../../api/index.ts';
import { applyDefaults } from '../../manifest/index.ts';
import { quietly } from '../../quietly.ts';
import type { ServerContext } from '../base/context.ts';
import type { ApiRequest } from '../base/request.ts';
import { hasStatus, shapeOfResource } from './patched-object.ts';

/** The time of a request, as managers have it: RFC 3339 in seconds. */
export function requestTime({ clock }: ServerContext): string {
  return formatSeconds(clock.now().wallMs);
}

/**
 * The object with the manager of a request in `metadata.managedFields`: it owns what the request changes.
 * @param before undefined: the object is created
 */
export function withRequestManager(
  before: KubeObject | undefined,
  after: KubeObject,
  { resource, subresource = '', query, headers }: ApiRequest,
  context: ServerContext,
): KubeObject {
  return trackUpdate(before, after, {
    shape: shapeOfResource(resource),
    manager: managerName(query.get('fieldManager'), headers['user-agent']),
    subresource,
    hasStatus: hasStatus(resource),
    time: requestTime(context),
  });
}

/** An object with its defaults. An object with fields of wrong types, which will be refused, stays unchanged. */
export function defaulted(object: KubeObject, { resource }: ApiRequest): KubeObject {
  if (resource.custom !== undefined) return object;
  return quietly(() => applyDefaults(object)) ?? object;
}
