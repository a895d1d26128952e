import { formatSeconds, type JsonObject } from '../../api/index.ts';
import type { ApiHandler } from '../base/answer.ts';
import { objectOf } from '../requests/get.ts';
import { admittedPart } from '../writes/admission.ts';
import { readFields, readObject } from '../base/read-object.ts';

const HOUR_S = 3600;
/** The shortest and the longest time for which a token holds. Source: pkg/registry/core/serviceaccount/storage. */
const SECONDS_MIN = 600;
const SECONDS_MAX = 2 ** 32;

/** The subresource `token` of a ServiceAccount: a new token. */
export const tokenAnswer: ApiHandler = async (request, context) => {
  const kind = { group: 'authentication.k8s.io', version: 'v1', kind: 'TokenRequest', custom: undefined };
  const given = await readObject(request, kind);
  const { metadata } = objectOf(request, context);
  const requested = await admittedPart(request, context, { before: undefined, after: given });
  const spec = (requested['spec'] ?? {}) as JsonObject;
  const { audiences, expirationSeconds } = readFields(requested, kind, (fields) => {
    const given = fields.part('spec', 'TokenRequestSpec');
    given?.part('boundObjectRef', 'BoundObjectReference');
    return {
      audiences: given?.texts('audiences') ?? [],
      expirationSeconds: given?.get('expirationSeconds', 'int64') as number | undefined,
    };
  });
  const seconds = Math.min(Math.max(expirationSeconds ?? HOUR_S, SECONDS_MIN), SECONDS_MAX);
  const nowMs = context.clock.now().wallMs;
  const token = context.tokens.issue(metadata, audiences, { nowMs, seconds });
  const expirationTimestamp = formatSeconds(nowMs + seconds * 1000);
  const { name, namespace } = metadata;
  const creationTimestamp = formatSeconds(nowMs);
  return {
    object: {
      ...requested,
      metadata: { name, namespace, creationTimestamp },
      spec: { ...spec, expirationSeconds: seconds },
      status: { token, expirationTimestamp },
    },
    code: 201,
  };
};
