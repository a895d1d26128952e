import {
  DEFAULT_NAMESPACE,
  isJsonObject,
  type JsonObject,
  type KubeObject,
  PodrunError,
  qualifiedKind,
} from '../api/index.ts';
import {
  type HelmHooks,
  type ManifestObject,
  NO_HELM_HOOKS,
  podIn,
  renderManifestErrors,
  undefinedKindText,
  type UnreadObject,
} from '../manifest/index.ts';
import type { ObjectReader } from '../store/index.ts';

/** The objects of a run that need an API server. */
export interface ApiNeeds {
  /** Objects to store before anything runs: definitions first, then roles, then what they let in. */
  readonly first: readonly UnreadObject[];
  /** Custom resources: they come last, after their definitions and the Pods that check them. */
  readonly custom: readonly UnreadObject[];
  /** Objects of kinds that nothing defines. */
  readonly undefined: readonly UnreadObject[];
  /** The hooks of a chart: a client of the API runs them, as helm is one. */
  readonly hooks: HelmHooks;
  /** True: the objects mean nothing without an API server. */
  readonly isNeeded: boolean;
  /** The names of autoscalers that ask adapters for metrics: only an API server reaches these. */
  readonly askAdapters: readonly string[];
}

/** Returns the stored objects of a resource such as `customresourcedefinitions`. */
export type StoredOfKind = (resource: string) => readonly KubeObject[];

/** Groups whose objects mean nothing without an API server. */
const API_GROUPS: ReadonlySet<string> = new Set([
  'apiextensions.k8s.io',
  'rbac.authorization.k8s.io',
  'admissionregistration.k8s.io',
  'apiregistration.k8s.io',
]);

/** The order in which objects of an API server are stored. The last two are for calls of programs that run. */
const ORDER: readonly string[] = [
  'CustomResourceDefinition',
  'ClusterRole',
  'Role',
  'ClusterRoleBinding',
  'RoleBinding',
  '',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionPolicyBinding',
  'MutatingAdmissionPolicy',
  'MutatingAdmissionPolicyBinding',
  'APIService',
  'MutatingWebhookConfiguration',
  'ValidatingWebhookConfiguration',
];

/**
 * Finds out whether a run needs an API server, and in which order the objects are stored that only one knows.
 * @param manifests the objects that podrun itself reads
 * @param hooks the hooks to run. Default: none
 */
export function apiNeeds(
  store: ObjectReader,
  unread: readonly UnreadObject[],
  manifests: readonly ManifestObject[],
  hooks: HelmHooks = NO_HELM_HOOKS,
): ApiNeeds {
  const hasHooks = hooks.preInstall.length + hooks.postInstall.length > 0;
  const custom = unread.filter(({ noMatch }) => noMatch !== undefined);
  const known = unread.filter(({ noMatch }) => noMatch === undefined);
  const first = known.toSorted((one, other) => rankOf(one) - rankOf(other));
  const isDefined =
    custom.length === 0
      ? () => false
      : definedKinds((resource) => store.list(resource), [...known, ...hooks.preInstall]);
  const defined = custom.filter(({ object }) => isDefined(object));
  return {
    first,
    custom: defined,
    undefined: custom.filter((each) => !defined.includes(each)),
    hooks,
    isNeeded: defined.length > 0 || known.some(needsApi) || hasHooks || mayUseApi(store, manifests),
    askAdapters: manifests.flatMap(({ object }) =>
      asksAdapter(object) ? [`${qualifiedKind(object)}/${object.metadata.name}`] : [],
    ),
  };
}

/**
 * Refuses manifests of which nothing is left: a run of nothing must not look like success.
 * @param count.undefinedKinds the number of objects that nothing defines
 * @param count.rest the number of all other objects, with hooks
 * @throws {PodrunError} when nothing defines any of the objects
 */
export function refuseNothingDefined(count: { readonly undefinedKinds: number; readonly rest: number }): void {
  if (count.undefinedKinds === 0 || count.rest > 0) return;
  throw new PodrunError('InvalidManifest', 'no objects passed to apply', {
    hint: 'Nothing defines the kinds of these objects, so nothing was started.',
  });
}

/**
 * Sentences about the objects that a run leaves out: objects of kinds that nothing defines, and without an API server,
 * objects that only one knows.
 * @param serves true: the run has an API server
 * @throws {PodrunError} when none may be left out because nothing defines it
 */
export function unreadWarnings(
  { undefined: unknown, first, custom, isNeeded, askAdapters }: ApiNeeds,
  serves: boolean,
  isStrict: boolean,
): string[] {
  const mistakes = unknown.flatMap(({ noMatch }) => noMatch ?? []);
  if (isStrict && mistakes.length > 0) {
    throw new PodrunError('InvalidManifest', renderManifestErrors(mistakes).join('\n'), {
      hint: 'Nothing was started. Without --strict, podrun leaves out what nothing defines.',
    });
  }
  const undefinedKinds = unknown.map(({ object, file, position: { line, column } }) => {
    return `${undefinedKindText(object)} (${file}:${line}:${column})`;
  });
  if (serves) return undefinedKinds;
  const idle = [...first, ...custom];
  const unread = idle.filter((each) => !needsApi(each)).map(({ object }) => object.kind);
  const unsupported = [...new Set(unread)].map((kind) => `${kind} is not supported by this runner, ignored`);
  const names = idle.filter(needsApi).map(nameOfUnread);
  const noApi = isNeeded && names.length > 0 ? [`no effect without an API server (--no-api): ${names.join(', ')}`] : [];
  const adapters = askAdapters.join(', ');
  const noAdapter =
    adapters === '' ? [] : [`metrics of an adapter need an API server (--api) with its APIService: ${adapters}`];
  return [...undefinedKinds, ...noApi, ...noAdapter, ...unsupported];
}

/** True for an autoscaler with metrics that neither podrun nor a metrics-server measures. */
function asksAdapter(object: KubeObject): boolean {
  if (object.kind !== 'HorizontalPodAutoscaler') return false;
  const { metrics } = fieldOf(object, 'spec');
  const types = Array.isArray(metrics) ? metrics.filter(isJsonObject).map(({ type }) => type) : [];
  return types.some((type) => type === 'Pods' || type === 'Object' || type === 'External');
}

/** True for an object that means nothing without an API server. */
function needsApi({ object, noMatch }: UnreadObject): boolean {
  return noMatch !== undefined || API_GROUPS.has(groupOf(object.apiVersion));
}

/** The name of an object in messages: `gadget.try.example.com/g`. */
function nameOfUnread({ object }: UnreadObject): string {
  return `${qualifiedKind(object)}/${object.metadata.name ?? object.metadata.generateName ?? ''}`;
}

function rankOf({ object: { kind } }: UnreadObject): number {
  return ORDER.includes(kind) ? ORDER.indexOf(kind) : ORDER.indexOf('');
}

function groupOf(apiVersion: string): string {
  return apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
}

/**
 * Says of a kind whether a definition of the manifests or of the store, or another API server, defines it.
 * @param known the objects of Kubernetes' kinds in the manifests
 */
export function definedKinds(
  stored: StoredOfKind,
  known: ReadonlyArray<Pick<UnreadObject, 'object'>>,
): (object: KubeObject) => boolean {
  const given = (kind: string): KubeObject[] => known.flatMap(({ object }) => (object.kind === kind ? [object] : []));
  const definitions = [...given('CustomResourceDefinition'), ...stored('customresourcedefinitions')];
  const services = [...given('APIService'), ...stored('apiservices')];
  const kinds = new Set(definitions.flatMap(kindsOf));
  const versions = new Set(services.flatMap(versionOfService));
  return ({ apiVersion, kind }) => kinds.has(`${apiVersion}/${kind}`) || versions.has(apiVersion);
}

/** The kinds of a definition, `example.com/v1/Widget`. A definition that is wrong has none. */
function kindsOf(definition: KubeObject): string[] {
  const spec = fieldOf(definition, 'spec');
  const names = fieldOf(spec, 'names');
  const versions = Array.isArray(spec['versions']) ? spec['versions'].filter(isJsonObject) : [];
  return versions.map(({ name }) => `${String(spec['group'])}/${String(name)}/${String(names['kind'])}`);
}

/** The version that another API server serves, `metrics.example.com/v1`. */
function versionOfService(service: KubeObject): string[] {
  const spec = fieldOf(service, 'spec');
  return isJsonObject(spec['service']) ? [`${String(spec['group'])}/${String(spec['version'])}`] : [];
}

function fieldOf(object: object, field: string): JsonObject {
  const value: unknown = (object as JsonObject)[field];
  return isJsonObject(value) ? value : {};
}

/** A RoleBinding or ClusterRoleBinding. */
type Binding = KubeObject & { readonly subjects?: readonly BindingSubject[] };
interface BindingSubject {
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
}

/** Says whether Pods have tokens of accounts that bindings of the store let do something. */
function mayUseApi(store: ObjectReader, manifests: readonly ManifestObject[]): boolean {
  const accounts = new Set(manifests.flatMap(accountOf));
  if (accounts.size === 0) return false;
  return ['rolebindings', 'clusterrolebindings'].some((resource) =>
    store.list<Binding>(resource).some(({ subjects = [], metadata }) =>
      subjects.some(({ kind, name, namespace = metadata.namespace }) => {
        return kind === 'ServiceAccount' && accounts.has(`${namespace}/${name}`);
      }),
    ),
  );
}

/** The account whose token a Pod, or the Pods of a workload, have: `NAMESPACE/NAME`. */
function accountOf({ object }: ManifestObject): string[] {
  const pod = podIn({ ...object })?.pod;
  if (pod?.spec === undefined || pod.spec.automountServiceAccountToken === false) return [];
  return [`${object.metadata.namespace ?? DEFAULT_NAMESPACE}/${pod.spec.serviceAccountName || 'default'}`];
}
