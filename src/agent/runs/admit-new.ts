import { fromServer } from '../../api/errors.ts';
import type { LimitRange, PriorityClass, ResourceQuota, ServiceAccount } from '../../api/generated/types.ts';
import { DEFAULT_NAMESPACE, type KubeObject, type StoredPod } from '../../api/objects.ts';
import { qosClassOf } from '../../api/pod-resources.ts';
import { qualifiedPlural, resourceTypeOf } from '../../api/resource-types.ts';
import { claimLimitErrors, podLimitErrors, withDefaultLimits } from '../../manifest/admission/limit-ranger.ts';
import { withPriority, withPullSecrets } from '../../manifest/admission/pod-defaults.ts';
import { quotaError } from '../../manifest/admission/quota.ts';
import { formatFieldError } from '../../manifest/field-error.ts';
import { validateObject } from '../../manifest/validate/index.ts';
import type { ObjectReader } from '../../store/store.ts';

/**
 * Admits a new object as the admission plugins of the API server do: priority, pull secrets, LimitRanges, quotas.
 * @throws {PodrunError} (Forbidden, Invalid) in the words of the API server
 */
export function admitNew<T extends KubeObject>(store: ObjectReader, object: T): T {
  return admitAll(store, [object])[0] ?? object;
}

/** Admits objects that are created together. Stored objects of their names are replaced: they count no more. */
export function admitAll<T extends KubeObject>(store: ObjectReader, objects: readonly T[]): T[] {
  const keys = new Set(objects.map(keyOf));
  const admitted: T[] = [];
  for (const object of objects) {
    const namespace = namespaceOf(object);
    const changed = object.kind === 'Pod' ? (admitPod(store, object as unknown as StoredPod) as unknown as T) : object;
    checkLimits(changed, store.list<LimitRange & KubeObject>('limitranges', { namespace }));
    checkQuotas(store, changed, (stored) => [
      ...stored.filter((other) => !keys.has(keyOf(other))),
      ...admitted.filter((other) => other.kind === object.kind && namespaceOf(other) === namespace),
    ]);
    admitted.push(changed);
  }
  return admitted;
}

const namespaceOf = ({ metadata }: KubeObject): string => metadata.namespace ?? DEFAULT_NAMESPACE;

const keyOf = (object: KubeObject): string => `${object.kind}/${namespaceOf(object)}/${object.metadata.name}`;

function admitPod(store: ObjectReader, pod: StoredPod): StoredPod {
  const { namespace } = pod.metadata;
  const account = store.get<ServiceAccount & KubeObject>(
    'serviceaccounts',
    namespace,
    pod.spec.serviceAccountName || 'default',
  );
  const classes = store.list<PriorityClass & KubeObject>('priorityclasses');
  const ranges = store.list<LimitRange & KubeObject>('limitranges', { namespace });
  const ranked = withPriority(pod, classes);
  if ('problem' in ranked) throw forbiddenObject({ ...pod }, ranked.problem);
  const named = withPullSecrets(ranked.pod, account);
  const limited = withDefaultLimits(named, ranges);
  if (limited === named) return named;
  const errors = validateObject({ ...limited });
  if (errors.length > 0) {
    const { name } = pod.metadata;
    throw fromServer('Invalid', `Pod "${name}" is invalid: ${errors.map(formatFieldError).join(', ')}`);
  }
  return { ...limited, status: { ...limited.status, qosClass: qosClassOf(limited.spec) } };
}

function checkLimits(object: KubeObject, ranges: readonly LimitRange[]): void {
  for (const range of ranges) {
    const errors = limitErrors(object, range);
    if (errors.length > 0)
      throw forbiddenObject(object, errors.length > 1 ? `[${errors.join(', ')}]` : errors.join(''));
  }
}

function limitErrors(object: KubeObject, range: LimitRange): string[] {
  if (object.kind === 'Pod') return podLimitErrors(object, range);
  return object.kind === 'PersistentVolumeClaim' ? claimLimitErrors(object, range) : [];
}

function checkQuotas(
  store: ObjectReader,
  object: KubeObject,
  besides: (stored: readonly KubeObject[]) => readonly KubeObject[],
): void {
  const namespace = namespaceOf(object);
  const quotas = store.list<ResourceQuota & KubeObject>('resourcequotas', { namespace });
  if (quotas.length === 0) return;
  const others = besides(store.list(resourceTypeOf(object).plural, { namespace }));
  for (const quota of quotas) {
    const problem = quotaError(quota, object, others);
    if (problem !== undefined) throw forbiddenObject(object, problem);
  }
}

function forbiddenObject(object: KubeObject, problem: string): Error {
  const plural = qualifiedPlural(resourceTypeOf(object));
  return fromServer('Forbidden', `${plural} ${JSON.stringify(object.metadata.name)} is forbidden: ${problem}`);
}
