import { formatSeconds, type KubeObject, type TokenRequest } from '../../api/index.ts';
import { type FieldError, invalid, validateTokenSeconds } from '../../manifest/index.ts';
import type { ApiHandler } from '../base/answer.ts';
import type { ServerContext } from '../base/context.ts';
import type { BoundObjects } from '../base/service-tokens.ts';
import { objectOf } from '../requests/get.ts';
import { admittedPart } from '../writes/admission.ts';
import { withRequestManager } from '../writes/field-managers.ts';
import { readObject } from '../base/read-object.ts';
import { badRequestStatus, invalidObject, notFoundStatus, objectConflict } from '../base/status-error.ts';
import { checkWriteOptions } from '../base/write-options.ts';

const HOUR_S = 3600;
const KIND = { group: 'authentication.k8s.io', version: 'v1', kind: 'TokenRequest', custom: undefined };

/** The objects with which a token may end, the resources of their kinds, and their claims. */
const BOUND: Readonly<Record<string, { readonly plural: string; readonly claim: keyof BoundObjects }>> = {
  Node: { plural: 'nodes', claim: 'node' },
  Pod: { plural: 'pods', claim: 'pod' },
  Secret: { plural: 'secrets', claim: 'secret' },
};

/**
 * The subresource `token` of a ServiceAccount: a new token.
 * Source: pkg/registry/core/serviceaccount/storage/token.go.
 */
export const tokenAnswer: ApiHandler = async (request, context) => {
  checkWriteOptions(request);
  const defaulted = withDefaults(await readObject(request, context, KIND));
  const account = objectOf(request, context).metadata;
  const { name, namespace } = account;
  const tracked = withRequestManager(
    undefined,
    defaulted,
    { ...request, resource: { ...request.resource, ...KIND } },
    context,
  );
  const requested = (await admittedPart(request, context, {
    before: undefined,
    after: tracked,
  })) as TokenRequest & KubeObject;
  const { spec, metadata } = requested;
  refuse(name, misplaced('name', metadata.name, name), misplaced('namespace', metadata.namespace, namespace));
  const seconds = spec.expirationSeconds ?? HOUR_S;
  refuse('', validateTokenSeconds('spec.expirationSeconds', seconds));
  const given = (spec as Partial<typeof spec>).audiences ?? [];
  const audiences = given.length > 0 ? given : [context.tokens.issuer];
  const nowMs = context.clock.now().wallMs;
  const bound = boundTo(spec.boundObjectRef, account, context);
  const token = context.tokens.issue({ ...account, ...bound }, audiences, { nowMs, seconds });
  const own = { name, namespace, uid: globalThis.crypto.randomUUID(), creationTimestamp: formatSeconds(nowMs) };
  return {
    object: {
      ...requested,
      metadata: { ...metadata, ...own },
      spec: { ...spec, audiences, expirationSeconds: seconds, boundObjectRef: spec.boundObjectRef ?? null },
      status: { token, expirationTimestamp: formatSeconds(nowMs + seconds * 1000) },
    },
    code: 201,
  };
};

/** Source: pkg/apis/authentication/v1/defaults.go. */
function withDefaults(request: Partial<TokenRequest> & KubeObject): KubeObject {
  return { ...request, spec: { ...request.spec, expirationSeconds: request.spec?.expirationSeconds ?? HOUR_S } };
}

function misplaced(field: string, given: string | undefined, own: string): FieldError[] {
  if (!given || given === own) return [];
  return [invalid(`metadata.${field}`, given, `must match the service account ${field} if specified`)];
}

function refuse(name: string, ...errors: readonly FieldError[][]): void {
  const first = errors.find(({ length }) => length > 0);
  if (first !== undefined) throw invalidObject(KIND, name, first);
}

/**
 * The objects to which a token is bound: the wanted one, and the node of a Pod.
 * @throws {StatusError} when the object is not stored, or does not fit
 */
function boundTo(
  ref: TokenRequest['spec']['boundObjectRef'],
  account: { readonly name: string; readonly namespace: string },
  { objects, resources }: ServerContext,
): BoundObjects {
  if (ref === undefined || ref === null) return {};
  const { kind = '', apiVersion = '', name = '', uid } = ref;
  const { plural, claim } = (apiVersion === 'v1' ? BOUND[kind] : undefined) ?? {};
  const resource = plural === undefined ? undefined : resources.find('', 'v1', plural);
  if (resource === undefined || claim === undefined) {
    const type = apiVersion.includes('/') ? apiVersion : `/${apiVersion}`;
    throw badRequestStatus(`cannot bind token to object of type ${type}, Kind=${kind}`);
  }
  const object = objects.get(resource.storage, resource.isNamespaced ? account.namespace : undefined, name);
  if (object === undefined) throw notFoundStatus(resource, name);
  const { serviceAccountName = '', nodeName = '' } = (object['spec'] ?? {}) as Record<string, string>;
  if (kind === 'Pod' && (serviceAccountName || 'default') !== account.name) {
    const why = `for serviceaccount ${JSON.stringify(account.name)} to pod running with different serviceaccount name.`;
    throw badRequestStatus(`cannot bind token ${why}`);
  }
  const own = object.metadata.uid;
  if (uid && uid !== own) {
    const why = `the UID in the bound object reference (${uid}) does not match the UID in record`;
    const about = { group: '', plural: kind, kind };
    throw objectConflict(about, name, `${why}. The object might have been deleted and then recreated`);
  }
  const node = nodeName && { name: nodeName, uid: objects.get('nodes', undefined, nodeName)?.metadata.uid };
  return { [claim]: { name, uid: own }, ...(kind === 'Pod' && node && { node }) };
}
