import { nextPart } from '../../clock.ts';
import {
  DEFAULT_NAMESPACE,
  hasFinalizers,
  NODE_LEASES,
  type StoredKubeObject,
  inWholeSeconds,
} from '../../api/index.ts';
import { defaultPropagation, type PropagationPolicy } from '../../controllers/index.ts';
import { type FieldError, invalid, notSupported, SYSTEM_PRIORITIES } from '../../manifest/index.ts';
import { deleteObject, type ObjectDeletion } from '../deletion/delete-object.ts';
import { isThisNode, KEPT_NODE } from '../deletion/delete-namespace.ts';
import { markedForDeletion } from '../deletion/delete-record.ts';
import { hasAuthor } from '../deletion/record-author.ts';
import type { ApiAnswer } from '../base/answer.ts';
import type { ServerContext } from '../base/context.ts';
import { shownObject } from '../custom/index.ts';
import { authorOf } from '../requests/author.ts';
import { shownObjectOf } from '../requests/get.ts';
import { matcherOf } from '../requests/selectors.ts';
import { type ApiRequest, isOn } from '../base/request.ts';
import { apiVersionOf, listMetadata } from '../resources/served-resource.ts';
import { invalidObject, objectConflict, objectForbidden, wrongUid } from '../base/status-error.ts';
import { hasAdmission, permitDeletions, permitWrite } from './admission.ts';
import { readFields, readOptions } from '../base/read-object.ts';
import { typeOf } from './update.ts';
import { loneOf } from '../base/lone-store.ts';

/** The options of a deletion. Source: apimachinery/pkg/apis/meta/v1/types.go, DeleteOptions. */
interface DeleteOptions {
  /** Undefined: the object's own. */
  readonly graceSeconds: number | undefined;
  readonly propagation: PropagationPolicy | undefined;
  readonly preconditions: { readonly uid?: string; readonly resourceVersion?: string };
  readonly isDryRun: boolean;
}

const POLICIES: readonly string[] = ['Foreground', 'Background', 'Orphan'];

/** The namespaces that the server needs. */
const KEPT_NAMESPACES: ReadonlySet<string> = new Set(['default', 'kube-system', 'kube-public', NODE_LEASES]);

/** Deletes an object, or marks it: a Pod ends first, and finalizers keep what they are for. */
export async function deleteAnswer(request: ApiRequest, context: ServerContext): Promise<ApiAnswer> {
  const options = await readDeleteOptions(request);
  warnOfOrphans(request, options);
  const object = await shownObjectOf(request, context);
  await permitDeletions(request, context);
  if (hasAdmission(context)) await permitWrite(request, context, { before: object, after: undefined });
  const left = await deleteOne(object, { ...options, author: await authorIn(request, context) }, request, context);
  const { resource, name = '' } = request;
  if (left !== undefined) return { object: await shownObject(resource, left, context) };
  if (resource.returnsDeleted === true) return { object };
  const { uid } = object.metadata;
  const { group, plural } = resource;
  const details = { name, ...(group !== '' && { group }), kind: plural, uid };
  return { object: { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details } };
}

/** Deletes the objects of a collection that a request selects. */
export async function deleteCollectionAnswer(request: ApiRequest, context: ServerContext): Promise<ApiAnswer> {
  const options = await readDeleteOptions(request);
  warnOfOrphans(request, options);
  const { resource, namespace } = request;
  const matches = matcherOf(request);
  const author = await authorIn(request, context);
  await permitDeletions(request, context);
  const items: StoredKubeObject[] = [];
  for (const { read } of context.objects.listed(resource.storage, namespace)) {
    await nextPart(context.clock);
    const item = await shownObject(resource, read(), context);
    if (!matches(item)) continue;
    items.push(item);
    if (hasAdmission(context)) await permitWrite(request, context, { before: item, after: undefined });
    await deleteOne(item, { ...options, author }, request, context);
  }
  const metadata = { ...listMetadata(resource), resourceVersion: String(context.objects.version) };
  return { object: { kind: resource.listKind, apiVersion: apiVersionOf(resource), metadata, items } };
}

/** Source: pkg/registry/batch/job/storage/storage.go, Delete and DeleteCollection. */
function warnOfOrphans({ resource, warn }: ApiRequest, { propagation }: DeleteOptions): void {
  const isOrphaned = defaultPropagation({ apiVersion: apiVersionOf(resource), kind: resource.kind }) === 'Orphan';
  if (resource.kind !== 'Job' || propagation !== undefined || !isOrphaned) return;
  warn(
    'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them ' +
      'or set propagationPolicy=Orphan to suppress this warning',
  );
}

/** The author of a deletion that counts for a run. */
async function authorIn(request: ApiRequest, { clock }: ServerContext): Promise<ObjectDeletion['author']> {
  return hasAuthor(request.resource) ? authorOf(request, clock) : undefined;
}

/** Returns the object when it still exists, or when finalizers have kept it. */
async function deleteOne(
  object: StoredKubeObject,
  { graceSeconds, propagation, preconditions, isDryRun, author }: DeleteOptions & Pick<ObjectDeletion, 'author'>,
  { resource }: ApiRequest,
  context: ServerContext,
): Promise<StoredKubeObject | undefined> {
  const { name, namespace, uid, resourceVersion } = object.metadata;
  if (preconditions.uid !== undefined && preconditions.uid !== uid) {
    // Namespaces have a check of their own. Source: pkg/registry/core/namespace/storage/storage.go.
    if (resource.plural === 'namespaces') throw objectConflict(resource, name, wrongUid(preconditions.uid, uid));
    const why =
      `the UID in the precondition (${preconditions.uid}) does not match the UID in record (${uid}). ` +
      'The object might have been deleted and then recreated';
    throw objectConflict({ ...resource, plural: resource.kind }, name, why);
  }
  if (preconditions.resourceVersion !== undefined && preconditions.resourceVersion !== resourceVersion) {
    const why =
      `the ResourceVersion in the precondition (${preconditions.resourceVersion}) does not match the ` +
      `ResourceVersion in record (${resourceVersion}). The object might have been modified`;
    throw objectConflict({ ...resource, plural: resource.kind }, name, why);
  }
  if (resource.plural === 'namespaces' && KEPT_NAMESPACES.has(name))
    throw objectForbidden(resource, name, 'this namespace may not be deleted');
  // Source: pkg/registry/scheduling/priorityclass/storage/storage.go.
  if (resource.plural === 'priorityclasses' && SYSTEM_PRIORITIES.has(name))
    throw objectForbidden(resource, name, 'this is a system priority class and cannot be deleted');
  if (isThisNode(resource.plural, name, loneOf(context.store))) throw objectForbidden(resource, name, KEPT_NODE);
  const ref = { type: typeOf(resource), namespace: namespace || DEFAULT_NAMESPACE, name };
  const policy = propagation ?? defaultPropagation({ apiVersion: apiVersionOf(resource), kind: resource.kind });
  const kept = keptByFinalizers(object, policy, context);
  if (isDryRun) return kept;
  await deleteObject({ ...deletionIn(context), graceSeconds, propagation: policy, author }, ref);
  const left = context.objects.get(resource.storage, namespace, name);
  return left?.metadata.uid === uid ? left : kept;
}

/** The object with its mark, if finalizers keep it at first: a controller may remove the last of them at once. */
function keptByFinalizers(
  object: StoredKubeObject,
  policy: PropagationPolicy,
  { clock }: ServerContext,
): StoredKubeObject | undefined {
  if (object.kind === 'Pod' || object.kind === 'Namespace') return undefined;
  const marked = markedForDeletion(object, policy, clock.now().wallMs);
  return hasFinalizers(marked) ? inWholeSeconds(marked) : undefined;
}

/** The deletion of an object with its own grace period. */
export function deletionIn(context: ServerContext): ObjectDeletion {
  const { store, clock, objects } = context;
  const hasDependents = (uid: string): boolean => objects.hasDependents(uid);
  // Other API servers are asked later.
  const hasMore = (namespace: string): boolean => context.aggregated.all.length > 0 || hasObjects(context, namespace);
  return { store, clock, graceSeconds: undefined, hasDependents, hasMore };
}

/** True for a namespace with objects that go before it. Events go last. */
export function hasObjects({ resources, objects }: ServerContext, namespace: string): boolean {
  return resources.all.some(({ storage, isNamespaced }) => {
    return isNamespaced && storage !== '' && storage !== 'events' && objects.hasSome(storage, namespace);
  });
}

const KIND = { kind: 'DeleteOptions', version: 'v1' };

/** The options of a deletion: in the body, or in the query. */
async function readDeleteOptions(request: ApiRequest): Promise<DeleteOptions> {
  const { query } = request;
  const body = (await readOptions(request, KIND.kind)) ?? {};
  const given = readFields(body, KIND, (fields) => {
    const preconditions = fields.part('preconditions', 'Preconditions');
    return {
      grace: fields.get('gracePeriodSeconds', 'int64') as number | undefined,
      policy: fields.text('propagationPolicy'),
      orphans: fields.get('orphanDependents', 'bool'),
      dryRun: fields.has('dryRun') ? fields.texts('dryRun') : undefined,
      preconditions: {
        ...(preconditions?.has('uid') && { uid: preconditions.text('uid') }),
        ...(preconditions?.has('resourceVersion') && { resourceVersion: preconditions.text('resourceVersion') }),
      },
    };
  });
  const grace = given.grace ?? query.get('gracePeriodSeconds') ?? undefined;
  const policy = given.policy || (query.get('propagationPolicy') ?? '');
  const orphans = given.orphans ?? (query.has('orphanDependents') ? isOn(query, 'orphanDependents') : undefined);
  const dryRun = given.dryRun ?? query.getAll('dryRun');
  const errors: FieldError[] = [];
  if (policy !== '' && !POLICIES.includes(policy))
    errors.push(notSupported('propagationPolicy', policy, [...POLICIES, 'nil']));
  if (policy !== '' && orphans !== undefined)
    errors.push(invalid('propagationPolicy', policy, 'orphanDependents and deletionPropagation cannot be both set'));
  for (const each of dryRun) if (each !== 'All') errors.push(notSupported('dryRun', each, ['All']));
  if (errors.length > 0) throw invalidObject({ kind: 'DeleteOptions', group: 'meta.k8s.io' }, '', errors);
  const asOrphans = orphans === undefined ? undefined : orphans === true ? 'Orphan' : 'Background';
  // A Pod that is to end at once does so after a second, unless it is forced.
  const graceSeconds = grace === undefined ? undefined : Number(grace);
  return {
    graceSeconds: graceSeconds !== undefined && graceSeconds < 0 ? 1 : graceSeconds,
    propagation: policy === '' ? asOrphans : (policy as PropagationPolicy),
    preconditions: given.preconditions,
    isDryRun: dryRun.includes('All'),
  };
}
