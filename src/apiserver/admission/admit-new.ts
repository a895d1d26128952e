import {
  DEFAULT_NAMESPACE,
  fromServer,
  type IngressClass,
  isMirrorPod,
  type KubeObject,
  type LimitRange,
  PodrunError,
  type PriorityClass,
  qosClassOf,
  qualifiedPlural,
  type ResourceQuota,
  resourceTypeOf,
  type RuntimeClass,
  type ServiceAccount,
  type StoredKubeObject,
  type StoredPod,
} from '../../api/index.ts';
import {
  claimLimitErrors,
  claimResizeProblem,
  formatFieldError,
  podIn,
  podLimitErrors,
  podSecurityAnnotations,
  podSecurityChangeWarnings,
  podSecurityProblem,
  podSecurityWarning,
  priorityClassProblem,
  quotaError,
  validateObject,
  withDefaultClass,
  withDefaultLimits,
  withKeptPriority,
  withNotReadyTaint,
  withPriority,
  withPullSecrets,
  withRuntimeClass,
  withServiceAccount,
  withTolerations,
} from '../../manifest/index.ts';
import type { ObjectReader } from '../../store/index.ts';
import { hasDeclaredNodes } from '../../settings/index.ts';
import { hasOwnApiServer } from '../services/service-facts.ts';
import { randomSuffix } from '../base/random-suffix.ts';
import { loneOf } from '../base/lone-store.ts';

/**
 * Admits a new object as the admission plugins of the API server do: priority, RuntimeClass, ServiceAccount, pull
 * secrets, LimitRanges, quotas; beside an API server, tolerations.
 * @throws {PodrunError} (Forbidden, Invalid; InvalidManifest for what its RuntimeClass rules out) in the words of the
 *   API server
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
    const changed = withDefaults(store, object);
    // A kubelet runs a static Pod whatever the API says of it.
    if (!isMirrorPod(changed)) {
      check(store, changed, (stored) => [
        ...stored.filter((other) => !keys.has(keyOf(other))),
        ...admitted.filter((other) => other.kind === object.kind && namespaceOf(other) === namespace),
      ]);
    }
    admitted.push(changed);
  }
  return admitted;
}

/**
 * Admits the change of an object.
 * @throws {PodrunError} (Forbidden) in the words of the API server
 */
export function admitChange(store: ObjectReader, object: KubeObject, before: KubeObject): void {
  if (isMirrorPod(object)) return;
  const isOther = (other: KubeObject): boolean => keyOf(other) !== keyOf(before);
  check(store, object, (stored) => stored.filter(isOther), before);
}

/**
 * A changed Pod with the tolerations and the priority that the API server has given it: a manifest without them does
 * not take them away.
 */
export function withKeptDefaults<T extends KubeObject>(store: ObjectReader, changed: T, before: KubeObject): T {
  if (before.kind !== 'Pod') return changed;
  const ranked = withKeptPriority(changed, before);
  return mayLoseNodes(store) && withTolerations(before) === before ? withTolerations(ranked) : ranked;
}

/**
 * Refuses a new Pod for the objects that it names, which comes before the mistakes of the Pod itself.
 * @throws {PodrunError} as `admitNew` does
 */
export function refuseUnknownNames(store: ObjectReader, object: KubeObject): void {
  if (object.kind !== 'Pod') return;
  const pod = object as unknown as StoredPod;
  // A Pod with mistakes may have no containers.
  withNamed(store, { ...pod, spec: { ...pod.spec, containers: [] } });
}

const namespaceOf = ({ metadata }: KubeObject): string => metadata.namespace ?? DEFAULT_NAMESPACE;

const keyOf = (object: KubeObject): string => `${object.kind}/${namespaceOf(object)}/${object.metadata.name}`;

/** A new object with the defaults that it takes from other objects. */
function withDefaults<T extends KubeObject>(store: ObjectReader, object: T): T {
  if (object.kind === 'Pod') return admitPod(store, object as unknown as StoredPod) as unknown as T;
  if (object.kind === 'Node') return withNotReadyTaint(object);
  if (object.kind !== 'Ingress') return object;
  return withDefaultClass(object, store.list<IngressClass & KubeObject>('ingressclasses'));
}

/** False where only the taints of a user evict Pods: there is one node, and no API server. */
function mayLoseNodes(store: ObjectReader): boolean {
  return hasOwnApiServer(store) || hasDeclaredNodes(store);
}

/** A Pod with what its PriorityClass, RuntimeClass and ServiceAccount say. */
function withNamed(store: ObjectReader, pod: StoredPod): StoredPod {
  const ranked = withPriority(pod, store.list<PriorityClass & KubeObject>('priorityclasses'));
  if (isMirrorPod(pod)) return 'problem' in ranked ? pod : ranked.pod;
  if ('problem' in ranked) throw forbiddenObject({ ...pod }, ranked.problem);
  const tolerant = mayLoseNodes(store) ? withTolerations(ranked.pod) : ranked.pod;
  const classed = withRuntimeClass(tolerant, store.list<RuntimeClass & KubeObject>('runtimeclasses'));
  if ('problem' in classed)
    throw new PodrunError('InvalidManifest', forbiddenObject({ ...pod }, classed.problem).message);
  return withPullSecrets(withAccount(store, classed.pod), accountOf(store, pod));
}

function admitPod(store: ObjectReader, pod: StoredPod): StoredPod {
  const { namespace } = pod.metadata;
  const named = withNamed(store, pod);
  if (isMirrorPod(pod)) return named;
  const limited = withDefaultLimits(named, store.list<LimitRange & KubeObject>('limitranges', { namespace }));
  if (limited === named) return named;
  const errors = validateObject({ ...limited });
  if (errors.length > 0) {
    const { name } = pod.metadata;
    throw fromServer('Invalid', `Pod "${name}" is invalid: ${errors.map(formatFieldError).join(', ')}`);
  }
  return { ...limited, status: { ...limited.status, qosClass: qosClassOf(limited.spec) } };
}

/** A Pod beside an API server gets a token for it. Source: plugin/pkg/admission/serviceaccount/admission.go Admit. */
function withAccount(store: ObjectReader, pod: StoredPod): StoredPod {
  if (!hasOwnApiServer(store) || loneOf(store)?.admitsAccounts === false) return pod;
  const account = accountOf(store, pod);
  const { serviceAccountName: name = '' } = pod.spec;
  // The account `default` comes in a moment, where controllers are.
  const isDefault = name === '' || name === 'default';
  if (account !== undefined || (isDefault && loneOf(store) === undefined))
    return withServiceAccount(pod, account, randomSuffix);
  const wanted = name || 'default';
  const problem = `error looking up service account ${pod.metadata.namespace}/${wanted}`;
  throw forbiddenObject({ ...pod }, `${problem}: serviceaccount "${wanted}" not found`);
}

/** The ServiceAccount of a Pod. Undefined: it is not stored. */
export function accountOf(store: ObjectReader, { metadata, spec }: StoredPod): ServiceAccount | undefined {
  return store.get<ServiceAccount & KubeObject>(
    'serviceaccounts',
    metadata.namespace,
    spec.serviceAccountName || 'default',
  );
}

/**
 * Checks an object beside what limits it.
 * @param besides keeps, of the objects of its kind, the objects that count
 */
function check(
  store: ObjectReader,
  object: KubeObject,
  besides: (stored: readonly KubeObject[]) => readonly KubeObject[],
  before?: KubeObject,
): void {
  const { plural, isNamespaced } = resourceTypeOf(object);
  if (object.kind === 'PriorityClass') {
    const problem = priorityClassProblem({ ...object }, store.list<PriorityClass & KubeObject>(plural));
    if (problem !== undefined) throw forbiddenObject(object, problem);
  }
  if (!isNamespaced) return;
  if (before === undefined) refuseInTerminating(store, object);
  const resize = object.kind === 'PersistentVolumeClaim' ? claimResizeProblem(object, before) : undefined;
  if (resize !== undefined) throw forbiddenObject(object, resize);
  const namespace = namespaceOf(object);
  const insecure = securityProblem(store, object, before);
  if (insecure !== undefined) throw forbiddenObject(object, insecure);
  for (const range of store.list<LimitRange & KubeObject>('limitranges', { namespace })) {
    const errors = limitErrors(object, range, before);
    if (errors.length > 0)
      throw forbiddenObject(object, errors.length > 1 ? `[${errors.join(', ')}]` : errors.join(''));
  }
  const quotas = store.list<ResourceQuota & KubeObject>('resourcequotas', { namespace });
  if (quotas.length === 0) return;
  const others = besides(store.list(plural, { namespace }));
  for (const quota of quotas) {
    const problem = quotaError(quota, object, others, before);
    if (problem !== undefined) throw forbiddenObject(object, problem);
  }
}

/** Why the labels of its namespace forbid a Pod. Undefined: they do not. */
function securityProblem(store: ObjectReader, object: KubeObject, before?: KubeObject): string | undefined {
  if (object.kind !== 'Pod') return undefined;
  return podProblem(labelsOfNamespace(store, object), object, before);
}

function podProblem(labels: Labels, pod: KubeObject, before: KubeObject | undefined): string | undefined {
  return podSecurityProblem(labels, pod as unknown as StoredPod, before as unknown as StoredPod | undefined);
}

/** The results of Pod Security for a write, beside a refusal. */
interface SecurityVerdict {
  /** For the client. Empty when the write is refused. */
  readonly warnings: readonly string[];
  /** For the audit event. */
  readonly annotations: Readonly<Record<string, string>>;
}

/**
 * Judges a Pod or workload by the Pod Security labels of its namespace, and the Pods of a namespace by labels that
 * become stricter.
 * @param before undefined: the object is new
 */
export function securityVerdict(store: ObjectReader, object: KubeObject, before?: KubeObject): SecurityVerdict {
  if (object.kind === 'Namespace' && before !== undefined) {
    const pods = store.list<StoredPod & KubeObject>('pods', { namespace: object.metadata.name });
    return { warnings: podSecurityChangeWarnings(object, before.metadata.labels, pods), annotations: {} };
  }
  if (podIn({ ...object }) === undefined || isMirrorPod(object)) return { warnings: [], annotations: {} };
  const labels = labelsOfNamespace(store, object);
  const isRefused = object.kind === 'Pod' && podProblem(labels, object, before) !== undefined;
  const warning = isRefused ? undefined : podSecurityWarning(labels, object, before);
  const annotations = podSecurityAnnotations(labels, object, before);
  return { warnings: warning === undefined ? [] : [warning], annotations };
}

type Labels = Readonly<Record<string, string>> | undefined;

function labelsOfNamespace(store: ObjectReader, object: KubeObject): Labels {
  return store.get<StoredKubeObject>('namespaces', DEFAULT_NAMESPACE, namespaceOf(object))?.metadata.labels;
}

/** Source: apiserver/pkg/admission/plugin/namespace/lifecycle/admission.go. */
function refuseInTerminating(store: ObjectReader, object: KubeObject): void {
  const name = namespaceOf(object);
  const stored = store.get<StoredKubeObject>('namespaces', DEFAULT_NAMESPACE, name);
  if (stored?.metadata.deletionTimestamp === undefined) return;
  throw forbiddenObject(object, `unable to create new content in namespace ${name} because it is being terminated`);
}

/** A LimitRange holds for new Pods, and for new and changed claims. */
function limitErrors(object: KubeObject, range: LimitRange, before: KubeObject | undefined): string[] {
  if (object.kind === 'PersistentVolumeClaim') return claimLimitErrors(object, range);
  return object.kind === 'Pod' && before === undefined ? podLimitErrors(object, range) : [];
}

function forbiddenObject(object: KubeObject, problem: string): Error {
  const plural = qualifiedPlural(resourceTypeOf(object));
  const { name } = object.metadata;
  const message = `Error from server (Forbidden): ${plural} ${JSON.stringify(name)} is forbidden: ${problem}`;
  return new PodrunError('Forbidden', message, { objectName: name });
}
