import type { KubeObject } from '../../api/index.ts';
import { isPermitted } from '../access/permissions.ts';
import { checkAdmission, mutatedByAll, type AdmissionRequest } from '../admission/index.ts';
import type { ServerContext } from '../base/context.ts';
import { type ApiRequest, isOn } from '../base/request.ts';
import { isDryRun } from '../base/write-options.ts';

/** A write: what is created has no object before, what is deleted none after. */
interface Write {
  readonly before: KubeObject | undefined;
  readonly after: KubeObject | undefined;
}

/** True when a webhook or a policy may have something to say. */
export function hasAdmission({ objects }: ServerContext): boolean {
  return DECIDERS.some((resource) => objects.hasSome(resource));
}

const DECIDERS = [
  'mutatingwebhookconfigurations',
  'validatingwebhookconfigurations',
  'mutatingadmissionpolicybindings',
  'validatingadmissionpolicybindings',
];

/**
 * The object as mutating policies and webhooks leave it.
 * @throws {StatusError} when one refuses the write
 */
export async function mutatedObject(
  request: ApiRequest,
  context: ServerContext,
  write: Write & { readonly after: KubeObject },
): Promise<KubeObject> {
  const mutated = await mutatedByAll(admissionRequest(request, context, write), context, request);
  if (mutated === undefined) return write.after;
  const { custom, kind } = request.resource;
  // Webhooks and policies know no schema.
  return custom === undefined || mutated.kind !== kind ? mutated : (custom.decode({ ...mutated }).object as KubeObject);
}

/**
 * Asks webhooks and policies whether they permit a write.
 * @throws {StatusError} when one refuses it
 */
export async function permitWrite(request: ApiRequest, context: ServerContext, write: Write): Promise<void> {
  await checkAdmission(admissionRequest(request, context, write), context, request);
}

/**
 * Asks all about a write of a subresource that is not stored: a Scale, an Eviction, a Binding, a TokenRequest.
 * @returns the object as mutating policies and webhooks leave it
 * @throws {StatusError} when one refuses it
 */
export async function admittedPart(
  request: ApiRequest,
  context: ServerContext,
  write: Write & { readonly after: KubeObject },
): Promise<KubeObject> {
  if (!hasAdmission(context)) return write.after;
  const after = await mutatedObject(request, context, write);
  await permitWrite(request, context, { ...write, after });
  return after;
}

/**
 * Asks all about a deletion of many, once for the whole collection: mutating webhooks can change nothing.
 * @throws {StatusError} when one refuses it
 */
export async function permitDeletions(request: ApiRequest, context: ServerContext): Promise<void> {
  const deletion = admissionRequest(request, context, { before: undefined, after: undefined });
  if (hasAdmission(context)) await mutatedByAll(deletion, context, request);
}

const CONNECTIONS: ReadonlySet<string> = new Set(['attach', 'exec', 'portforward', 'proxy']);

/**
 * Asks all about a connection into a Pod, or to a program behind a proxy.
 * @throws {StatusError} when one refuses it
 */
export async function permitConnection(request: ApiRequest, context: ServerContext): Promise<void> {
  if (!CONNECTIONS.has(request.subresource ?? '') || !hasAdmission(context)) return;
  const connection = {
    ...admissionRequest(request, context, { before: undefined, after: undefined }),
    operation: 'CONNECT' as const,
    object: connectOptions(request) as KubeObject,
  };
  await mutatedByAll(connection, context, request);
  await checkAdmission(connection, context, request);
}

/** The options of a connection. Source: k8s.io/api/core/v1, PodExecOptions and similar types. */
function connectOptions({ resource, subresource, query, rest }: ApiRequest): object {
  const kind = resource.subresources.find(({ name }) => name === subresource)?.kind;
  const head = { kind, apiVersion: 'v1' };
  if (subresource === 'proxy') return { ...head, path: rest };
  const ports = query.getAll('ports').flatMap((text) => text.split(','));
  if (subresource === 'portforward') return { ...head, ...(ports.length > 0 && { ports: ports.map(Number) }) };
  const flags = ['stdin', 'stdout', 'stderr', 'tty'].filter((name) => isOn(query, name)).map((name) => [name, true]);
  const [container, command] = [query.get('container'), query.getAll('command')];
  return {
    ...head,
    ...Object.fromEntries(flags),
    ...(container && { container }),
    ...(command.length > 0 && { command }),
  };
}

function operationOf({ verb }: ApiRequest, { before, after }: Write): AdmissionRequest['operation'] {
  if (after === undefined) return 'DELETE';
  return before === undefined || verb === 'create' ? 'CREATE' : 'UPDATE';
}

function admissionRequest(request: ApiRequest, context: ServerContext, write: Write): AdmissionRequest {
  const { before, after } = write;
  const { resource, namespace, subresource = '', user, query } = request;
  const { group, version, kind, plural, isNamespaced } = resource;
  const part = resource.subresources.find(({ name }) => name === subresource);
  return {
    operation: operationOf(request, write),
    group,
    version,
    kind,
    resource: plural,
    subresource,
    ...(part !== undefined && {
      objectKind: { group: part.group ?? group, version: part.version ?? version, kind: part.kind },
    }),
    name: request.name ?? after?.metadata.name ?? '',
    namespace: isNamespaced ? namespace : undefined,
    user,
    isDryRun: isDryRun(request),
    object: after,
    oldObject: before,
    namespaceObject: namespace === undefined ? undefined : context.objects.get('namespaces', undefined, namespace),
    options: Object.fromEntries(query),
    permits: (someone, wanted) => isPermitted(someone, wanted, context),
  };
}
