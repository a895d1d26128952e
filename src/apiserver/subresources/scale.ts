import type { KubeObject, LabelSelector, StoredKubeObject } from '../../api/index.ts';
import { selectorText } from '../../print/index.ts';
import type { ApiAnswer, SubresourceHandlers } from '../base/answer.ts';
import type { ServerContext } from '../base/context.ts';
import { shownObjectOf } from '../requests/get.ts';
import type { ApiRequest } from '../base/request.ts';
import { objectConflict } from '../base/status-error.ts';
import { admittedPart, hasAdmission } from '../writes/admission.ts';
import { requestedPatch } from '../writes/patch.ts';
import { readObject } from '../base/read-object.ts';
import { changeStored } from '../writes/update.ts';

const SCALE_KIND = { group: 'autoscaling', version: 'v1', kind: 'Scale', custom: undefined };

/** The subresource `scale`: the replicas of a workload alone. */
export const SCALE_HANDLERS: SubresourceHandlers = {
  get: async (request, context) => ({ object: scaleOf(await shownObjectOf(request, context), request) }),
  update: async (request, context) => {
    const scale = await readObject(request, SCALE_KIND);
    return rescaled(request, context, () => scale);
  },
  patch: async (request, context) => {
    const patch = await requestedPatch(request, context);
    return rescaled(request, context, patch);
  },
};

async function rescaled(
  request: ApiRequest,
  context: ServerContext,
  wish: (stored: KubeObject) => KubeObject,
): Promise<ApiAnswer> {
  const { resource, name = '' } = request;
  const change = await admittedChange(request, context, wish);
  const whole = { ...request, subresource: undefined };
  const changed = await changeStored(whole, context, (stored) => {
    const wanted = change(scaleOf(stored, request));
    const { resourceVersion } = wanted.metadata;
    if (resourceVersion && resourceVersion !== stored.metadata.resourceVersion) throw objectConflict(resource, name);
    return withReplicas(stored, request, (wanted['spec'] as { replicas?: number } | undefined)?.replicas ?? 0);
  });
  return { object: scaleOf(changed, request) };
}

/** The change as webhooks leave it. They have seen one state: another one since is a conflict. */
async function admittedChange(
  request: ApiRequest,
  context: ServerContext,
  wish: (stored: KubeObject) => KubeObject,
): Promise<(stored: KubeObject) => KubeObject> {
  if (!hasAdmission(context)) return wish;
  const before = scaleOf(await shownObjectOf(request, context), request);
  const after = await admittedPart(request, context, { before, after: wish(before) });
  return () => after;
}

/** Source: pkg/registry/apps/deployment/storage/storage.go, scaleFromDeployment. */
function scaleOf(object: StoredKubeObject, { resource }: ApiRequest): KubeObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const paths = resource.custom?.scale;
  const replicas = at(object, paths?.specPath ?? '.spec.replicas') ?? 0;
  const present = at(object, paths?.statusPath ?? '.status.replicas') ?? 0;
  const selector = paths === undefined ? ownSelector(object) : at(object, paths.selectorPath ?? '.none');
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    spec: replicas === 0 ? {} : { replicas },
    status: { replicas: present, ...(typeof selector === 'string' && { selector }) },
  };
}

/** The selector of a ReplicationController is a map of labels. */
function ownSelector(object: StoredKubeObject): string {
  const selector = at(object, '.spec.selector') as LabelSelector | Record<string, string> | undefined;
  const isMap = object.kind === 'ReplicationController';
  return selectorText(isMap ? { matchLabels: selector as Record<string, string> } : selector);
}

function withReplicas(object: StoredKubeObject, { resource }: ApiRequest, replicas: number): KubeObject {
  return set(object, fieldsIn(resource.custom?.scale?.specPath ?? '.spec.replicas'), replicas) as KubeObject;
}

function fieldsIn(path: string): string[] {
  return path.split('.').filter((field) => field !== '');
}

function at(object: object, path: string): unknown {
  let value: unknown = object;
  for (const field of fieldsIn(path)) value = (value as Record<string, unknown> | undefined)?.[field];
  return value;
}

function set(value: unknown, [field, ...rest]: readonly string[], wanted: unknown): unknown {
  if (field === undefined) return wanted;
  const before = (value ?? {}) as Record<string, unknown>;
  return { ...before, [field]: set(before[field], rest, wanted) };
}
