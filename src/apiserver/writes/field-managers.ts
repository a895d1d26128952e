import { formatSeconds, type KubeObject, managerName, type PartRunner, trackUpdate } from '../../api/index.ts';
import { applyDefaults, withoutOmitted } from '../../manifest/index.ts';
import { quietly } from '../../quietly.ts';
import type { ServerContext } from '../base/context.ts';
import type { ApiRequest } from '../base/request.ts';
import { versionsOf } from '../resources/kind-versions.ts';
import { hasStatus, isApply, shapeOfResource } from './patched-object.ts';

/** The time of a request, as managers have it: RFC 3339 in seconds. */
export function requestTime({ clock }: ServerContext): string {
  return formatSeconds(clock.now().wallMs);
}

/**
 * The object with the manager of a request in `metadata.managedFields`: it owns what the request changes. The result of
 * an apply has its managers already.
 * @param before undefined: the object is created
 * @param step runs the parts of that
 */
export function withRequestManager(
  before: KubeObject | undefined,
  after: KubeObject,
  request: ApiRequest,
  context: ServerContext,
  step?: PartRunner,
): KubeObject {
  const { resource, subresource, managedAs, query, headers } = request;
  if (request.hasManagers === true || isApply(request)) return after;
  const inVersion = (object: KubeObject): KubeObject => resource.conversion?.toVersion(object) ?? object;
  const write = {
    shape: shapeOfResource(resource),
    versions: versionsOf(resource),
    manager: managerName(query.get('fieldManager'), headers['user-agent']),
    subresource: managedAs ?? subresource ?? '',
    hasStatus: hasStatus(resource),
    // Writes of a scale have none. Source: managedfields, ScaleHandler.
    time: managedAs === undefined ? requestTime(context) : undefined,
  };
  const { managedFields } = trackUpdate(before && inVersion(before), inVersion(after), write, step).metadata;
  return { ...after, metadata: { ...after.metadata, managedFields } };
}

/**
 * An object with its defaults, and without the empty fields of a patch that Go does not write. An object with fields of
 * wrong types, which will be refused, stays unchanged.
 */
export function defaulted(object: KubeObject, { resource, verb }: ApiRequest): KubeObject {
  if (resource.custom !== undefined) return object;
  return quietly(() => applyDefaults(verb === 'patch' ? withoutOmitted(object) : object)) ?? object;
}
