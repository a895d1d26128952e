import type { StoredPod } from '../../api/index.ts';
import { evictPod } from '../deletion/evict-pod.ts';
import type { ApiHandler } from '../base/answer.ts';
import { objectOf } from '../requests/get.ts';
import { objectConflict, StatusError } from '../base/status-error.ts';
import { admittedPart } from '../writes/admission.ts';
import { readObject } from '../base/read-object.ts';
import { isDryRun } from '../base/write-options.ts';

const CREATED = {
  object: { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 },
  code: 201,
} as const;

/** The subresource `eviction`: deletes a Pod if its PodDisruptionBudget permits it. */
export const evictionAnswer: ApiHandler = async (request, context) => {
  const kind = { group: 'policy', version: 'v1', kind: 'Eviction', custom: undefined };
  const requested = await readObject(request, kind);
  const pod = objectOf(request, context) as unknown as StoredPod;
  const eviction = await admittedPart(request, context, { before: undefined, after: requested });
  const options = eviction['deleteOptions'] as { gracePeriodSeconds?: number; dryRun?: string[] } | undefined;
  if (isDryRun(request) || options?.dryRun?.includes('All') === true) return CREATED;
  const problem = await evictPod(context, pod, options?.gracePeriodSeconds);
  if (problem === undefined) return CREATED;
  throw new StatusError({
    code: 429,
    reason: 'TooManyRequests',
    message: problem.message,
    details: { causes: [{ reason: 'DisruptionBudget', message: problem.cause ?? problem.message }] },
  });
};

/** The subresource `binding`: the node of this server is the scheduler, and has bound each Pod already. */
export const bindingAnswer: ApiHandler = async (request, context) => {
  const kind = { group: '', version: 'v1', kind: 'Binding', custom: undefined };
  const binding = await readObject(request, kind);
  const pod = objectOf(request, context) as unknown as StoredPod;
  await admittedPart(request, context, { before: undefined, after: binding });
  const { name } = pod.metadata;
  const to = pod.spec.nodeName ?? '';
  const why =
    to === '' ? `the scheduler of this server binds pod ${name}` : `pod ${name} is already assigned to node "${to}"`;
  throw objectConflict({ group: '', plural: 'pods/binding', kind: 'Pod' }, name, why);
};
