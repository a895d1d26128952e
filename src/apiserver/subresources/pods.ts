import type { KubeObject, StoredPod } from '../../api/index.ts';
import { setConditions } from '../../lifecycle/index.ts';
import { formatFieldError, notSupported, required } from '../../manifest/index.ts';
import { evictPod } from '../deletion/evict-pod.ts';
import type { ApiHandler } from '../base/answer.ts';
import type { ServerContext } from '../base/context.ts';
import { authorOf } from '../requests/author.ts';
import type { ApiRequest } from '../base/request.ts';
import { objectOf } from '../requests/get.ts';
import { badRequestStatus, objectConflict, plainError, StatusError } from '../base/status-error.ts';
import { admittedPart } from '../writes/admission.ts';
import { readObject } from '../base/read-object.ts';
import { isDryRun } from '../base/write-options.ts';
import { loneOf } from '../base/lone-store.ts';

const CREATED = {
  object: { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 },
  code: 201,
} as const;

/** The subresource `eviction`: deletes a Pod if its PodDisruptionBudget permits it. */
export const evictionAnswer: ApiHandler = async (request, context) => {
  const kind = { group: 'policy', version: 'v1', kind: 'Eviction', custom: undefined };
  const requested = await readObject(request, context, kind);
  checkName(requested, request);
  const pod = objectOf(request, context) as unknown as StoredPod;
  const eviction = await admittedPart(request, context, { before: undefined, after: requested });
  const options = eviction['deleteOptions'] as { gracePeriodSeconds?: number; dryRun?: string[] } | undefined;
  if (isDryRun(request) || options?.dryRun?.includes('All') === true) return CREATED;
  const author = await authorOf(request, context.clock);
  const problem = await evictPod({ ...context, author }, pod, options?.gracePeriodSeconds);
  if (problem === undefined) return CREATED;
  throw new StatusError({
    code: 429,
    reason: 'TooManyRequests',
    message: problem.message,
    details: { causes: [{ reason: 'DisruptionBudget', message: problem.cause ?? problem.message }] },
  });
};

/** The resource `bindings`, as old schedulers bind: the Pod has the name of the Binding. */
export const bindingsAnswer: ApiHandler = async (request, context) => {
  const { metadata } = await readObject(request, context);
  const pods = context.resources.find('', 'v1', 'pods') ?? request.resource;
  return await bindingAnswer({ ...request, resource: pods, subresource: 'binding', name: metadata.name }, context);
};

/**
 * The subresource `binding`: the node of this server is the scheduler, and has bound each Pod already. Without a node,
 * the client is the scheduler.
 */
export const bindingAnswer: ApiHandler = async (request, context) => {
  const kind = { group: '', version: 'v1', kind: 'Binding', custom: undefined };
  const binding = await readObject(request, context, kind);
  checkName(binding, request);
  checkTarget(binding);
  const pod = objectOf(request, context) as unknown as StoredPod;
  await admittedPart(request, context, { before: undefined, after: binding });
  const isFree = !pod.spec.nodeName && (pod.spec.schedulingGates ?? []).length === 0;
  if (loneOf(context.store) !== undefined && isFree && pod.metadata.deletionTimestamp === undefined) {
    if (!isDryRun(request)) bind(pod, binding, context);
    return CREATED;
  }
  throw objectConflict({ group: '', plural: 'pods/binding', kind: 'Pod' }, pod.metadata.name, unbindable(pod));
};

/** Source: pkg/registry/core/pod/storage/storage.go, assignPod. */
function bind({ metadata }: StoredPod, binding: KubeObject, { store, clock }: ServerContext): void {
  const { name: nodeName = '' } = binding['target'] as { readonly name?: string };
  const scheduled = { type: 'PodScheduled', status: 'True' } as const;
  store.bind(metadata, (stored) => ({
    ...stored,
    metadata: {
      ...stored.metadata,
      ...(binding.metadata.annotations && {
        annotations: { ...stored.metadata.annotations, ...binding.metadata.annotations },
      }),
    },
    spec: { ...stored.spec, nodeName },
    status: setConditions(stored.status, [scheduled], clock.now().wallMs),
  }));
}

function unbindable({ metadata: { name }, spec }: StoredPod): string {
  if (spec.nodeName) return `pod ${name} is already assigned to node "${spec.nodeName}"`;
  const isGated = (spec.schedulingGates ?? []).length > 0;
  return isGated ? `pod ${name} has non-empty .spec.schedulingGates` : `the scheduler of this server binds pod ${name}`;
}

/** @throws {StatusError} 400 for a body with the name of another Pod */
function checkName({ kind, metadata }: KubeObject, { name }: ApiRequest): void {
  if (metadata.name !== name) throw badRequestStatus(`name in URL does not match name in ${kind} object`);
}

/**
 * Refuses a binding to no node. Source: pkg/apis/core/validation/validation.go, ValidatePodBinding.
 * @throws {StatusError} a plain error, as the API server gives
 */
function checkTarget(binding: KubeObject): void {
  const { kind = '', name = '' } = (binding['target'] ?? {}) as { readonly kind?: string; readonly name?: string };
  const wrong = [
    ...(['', 'Node'].includes(kind) ? [] : [notSupported('target.kind', kind, ['Node', '<empty>'])]),
    ...(name === '' ? [required('target.name')] : []),
  ];
  if (wrong.length > 0) throw plainError(wrong.map(formatFieldError).join(', '));
}
