import type { KubeObject } from '../../api/objects.ts';
import { checkAdmission, mutatedByWebhooks, type AdmissionRequest } from '../admission/index.ts';
import type { ServerContext } from '../context.ts';
import type { ApiRequest } from '../request.ts';
import { isDryRun } from './write-options.ts';

/** A write: what is created has no object before, what is deleted none after. */
interface Write {
  readonly before: KubeObject | undefined;
  readonly after: KubeObject | undefined;
}

/** True when a webhook or a policy may have something to say. */
export function hasAdmission({ objects }: ServerContext): boolean {
  return DECIDERS.some((resource) => objects.list(resource).length > 0);
}

const DECIDERS = [
  'mutatingwebhookconfigurations',
  'validatingwebhookconfigurations',
  'validatingadmissionpolicybindings',
];

/**
 * The object as mutating webhooks leave it.
 * @throws {StatusError} when one refuses the write
 */
export async function mutatedObject(
  request: ApiRequest,
  context: ServerContext,
  write: Write & { readonly after: KubeObject },
): Promise<KubeObject> {
  const mutated = await mutatedByWebhooks(admissionRequest(request, context, write), context, request.warn);
  return mutated ?? write.after;
}

/**
 * Asks webhooks and policies whether they permit a write.
 * @throws {StatusError} when one refuses it
 */
export async function permitWrite(request: ApiRequest, context: ServerContext, write: Write): Promise<void> {
  await checkAdmission(admissionRequest(request, context, write), context, request.warn);
}

function admissionRequest(request: ApiRequest, { objects }: ServerContext, { before, after }: Write): AdmissionRequest {
  const { resource, namespace, subresource = '', user, query } = request;
  const { group, version, kind, plural, isNamespaced } = resource;
  return {
    operation: before === undefined ? 'CREATE' : after === undefined ? 'DELETE' : 'UPDATE',
    group,
    version,
    kind,
    resource: plural,
    subresource,
    name: request.name ?? after?.metadata.name ?? '',
    namespace: isNamespaced ? namespace : undefined,
    user,
    isDryRun: isDryRun(request),
    object: after,
    oldObject: before,
    namespaceObject: namespace === undefined ? undefined : objects.get('namespaces', undefined, namespace),
    options: Object.fromEntries(query),
  };
}
