/** Hints for wrong values: short phrases that follow an error message. */
import { fieldsOf, goQuote, mostSimilar, sameEnding } from '../../api/index.ts';
import type { SourceNode } from '../read/source-node.ts';

/** Fields of the table that v1.36 does not have, by type. The lines go when podrun follows a newer version. */
const NEWER_FIELDS: Readonly<Record<string, readonly string[]>> = {
  ClusterTrustBundleProjection: ['user'],
  ConfigMapVolumeSource: ['defaultUser'],
  DownwardAPIVolumeFile: ['user'],
  DownwardAPIVolumeSource: ['defaultUser'],
  EmptyDirVolumeSource: ['mode'],
  GRPCAction: ['mode'],
  HTTPGetAction: ['protocol'],
  KeyToPath: ['user'],
  PodCertificateProjection: ['user'],
  PodSpec: ['evictionResponders'],
  PodStatus: ['volumeHealth'],
  ProjectedVolumeSource: ['defaultUser'],
  SecretVolumeSource: ['defaultUser'],
  ServiceAccountTokenProjection: ['user'],
  VolumeMount: ['bindMountOptions'],
};

/** A type of the field table, split into its parts. */
interface FieldType {
  readonly container: 'list' | 'map' | undefined;
  /** A primitive, or the name of a type with fields. */
  readonly base: string;
}

export function parseType(type: string): FieldType {
  if (type.startsWith('[]')) return { container: 'list', base: type.slice(2) };
  if (type.startsWith('map:')) return { container: 'map', base: type.slice(4) };
  return { container: undefined, base: type };
}

/** The type of a field. Undefined for a field that is unknown, or known only to newer versions. */
export function knownType(typeName: string, field: string, takesNewerFields: boolean): string | undefined {
  const fields = fieldsOf(typeName) ?? {};
  if (!Object.hasOwn(fields, field) || (isNewerField(typeName, field) && !takesNewerFields)) return undefined;
  return fields[field];
}

function isNewerField(typeName: string, field: string): boolean {
  return NEWER_FIELDS[typeName]?.includes(field) ?? false;
}

/** An object on the way from the root to the position of the decoder. */
export interface Level {
  readonly typeName: string;
  readonly path: string;
  readonly parent: Level | undefined;
}

export const joinPath = (path: string, field: string): string => (path === '' ? field : `${path}.${field}`);

/** The levels to search for a field: a container in a CronJob is jobTemplate.spec.template.spec.containers. */
const MAX_LEVELS_DOWN = 4;

/**
 * The hint for an unknown field: a sibling with a similar name, or a field with the same name one level up or further
 * down.
 */
export function unknownFieldHint(field: string, level: Level): string | undefined {
  if (isNewerField(level.typeName, field)) return 'known to Kubernetes from v1.37 on';
  const siblings = knownFields(level.typeName);
  const above = level.parent;
  const meant =
    mostSimilar(field, siblings) ??
    sameEnding(field, siblings) ??
    (above !== undefined && knownFields(above.typeName).includes(field) ? joinPath(above.path, field) : undefined) ??
    pathBelow(field, level.typeName, level.path);
  return meant === undefined ? undefined : `did you mean "${meant}"?`;
}

function knownFields(typeName: string): string[] {
  return Object.keys(fieldsOf(typeName) ?? {}).filter((field) => !isNewerField(typeName, field));
}

/** The nearest path below with a field of that name. Fields of containers come first. */
function pathBelow(field: string, typeName: string, path: string): string | undefined {
  let level: [typeName: string, path: string][] = [[typeName, path]];
  for (let depth = 1; depth <= MAX_LEVELS_DOWN; depth += 1) {
    level = level.flatMap(([type, at]) => objectsBelow(type, at, depth === 1));
    const paths = level.filter(([type]) => knownFields(type).includes(field)).map(([, at]) => joinPath(at, field));
    if (paths.length > 0) return paths.find((candidate) => candidate.includes('.containers[]')) ?? paths[0];
  }
  return undefined;
}

function objectsBelow(typeName: string, path: string, throughLists: boolean): [string, string][] {
  return Object.entries(fieldsOf(typeName) ?? {}).flatMap(([field, type]): [string, string][] => {
    const { container, base } = parseType(type);
    if (container === 'map' || fieldsOf(base) === undefined || field === 'status') return [];
    if (container === 'list') return throughLists ? [[base, `${joinPath(path, field)}[]`]] : [];
    return [[base, joinPath(path, field)]];
  });
}

/** The lists and maps that Go writes also when they are empty, by type: their JSON tags have no `omitempty`. */
const KEPT_EMPTY: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries({
    CephFSVolumeSource: ['monitors'],
    LimitRangeSpec: ['limits'],
    NodeSelector: ['nodeSelectorTerms'],
    PodExtendedResourceClaimStatus: ['requestMappings'],
    PodSpec: ['containers'],
    // Its validation takes an empty list of claims for one that is set.
    ResourceRequirements: ['claims'],
    ProjectedVolumeSource: ['sources'],
    RBDVolumeSource: ['monitors'],
    TopologySelectorLabelRequirement: ['values'],
    'admissionregistration.MutatingWebhook': ['admissionReviewVersions'],
    'admissionregistration.ValidatingWebhook': ['admissionReviewVersions'],
    'authorization.SubjectRulesReviewStatus': ['nonResourceRules', 'resourceRules'],
    'autoscalingV2.HorizontalPodAutoscalerStatus': ['currentMetrics'],
    'batch.PodFailurePolicy': ['rules'],
    'batch.PodFailurePolicyOnExitCodesRequirement': ['values'],
    'batch.SuccessPolicy': ['rules'],
    'discovery.Endpoint': ['addresses'],
    'discovery.EndpointSlice': ['endpoints', 'ports'],
    'flowcontrol.NonResourcePolicyRule': ['nonResourceURLs', 'verbs'],
    'flowcontrol.PolicyRulesWithSubjects': ['subjects'],
    'flowcontrol.ResourcePolicyRule': ['apiGroups', 'resources', 'verbs'],
    'networking.HTTPIngressRuleValue': ['paths'],
    'rbac.ClusterRole': ['rules'],
    'rbac.PolicyRule': ['verbs'],
    'rbac.Role': ['rules'],
    'resource.CounterSet': ['counters'],
    'resource.DeviceCounterConsumption': ['counters'],
    'storage.CSINodeDriver': ['topologyKeys'],
    'storage.CSINodeSpec': ['drivers'],
  }).map(([type, fields]) => [type, new Set(fields)]),
);

/** The texts that Go leaves out when they are empty: the names of references. Source: k8s.io/api/core/v1/types.go. */
const OMITTED_EMPTY: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries({
    ConfigMapEnvSource: ['name'],
    ConfigMapKeySelector: ['name'],
    ConfigMapProjection: ['name'],
    ConfigMapVolumeSource: ['name'],
    LocalObjectReference: ['name'],
    ObjectReference: ['apiVersion', 'fieldPath', 'kind', 'name', 'namespace', 'resourceVersion', 'uid'],
    SecretEnvSource: ['name'],
    SecretKeySelector: ['name'],
    SecretProjection: ['name'],
    SecretVolumeSource: ['secretName'],
  }).map(([type, fields]) => [type, new Set(fields)]),
);

/**
 * True for the value of a field that Go does not write: an empty list or map, or the empty name of a reference, which
 * are the same as none. So a template with `env: []` and one without are equal. `rules: []` of a Role is written, and
 * so is an empty object with fields of its own: `emptyDir: {}`.
 */
export function isOmitted(typeName: string, field: string, type: string, value: unknown): boolean {
  if (value === '') return OMITTED_EMPTY.get(typeName)?.has(field) === true;
  if (typeof value !== 'object' || value === null || parseType(type).container === undefined) return false;
  return Object.keys(value).length === 0 && KEPT_EMPTY.get(typeName)?.has(field) !== true;
}

/** Lists that contain the words of a command. */
const COMMAND_FIELDS: ReadonlySet<string> = new Set(['command', 'args']);

const SECONDS: Readonly<Record<string, number>> = { ms: 0.001, s: 1, m: 60, h: 3600 };

/** A hint where a string is required. */
export function stringHint(node: SourceNode): string | undefined {
  if (node.kind === 'scalar') return `quote it: ${goQuote(node.text)}`;
  return node.kind === 'map' ? 'quote the text, ": " starts a map' : undefined;
}

/** A hint where a list is required. */
export function listHint(node: SourceNode, path: string): string | undefined {
  const field = path.slice(path.lastIndexOf('.') + 1);
  if (node.kind === 'map') return 'begin each item with "- "';
  if (node.kind === 'list' || typeof node.value !== 'string') return undefined;
  const words = COMMAND_FIELDS.has(field) ? node.value.trim().split(/\s+/) : [node.value];
  return `use a list: [${words.map(goQuote).join(', ')}]`;
}

/** A hint where a number is required. */
export function integerHint(node: SourceNode, path: string): string | undefined {
  if (node.kind !== 'scalar' || typeof node.value !== 'string') return undefined;
  if (/^0o?[0-7]+$|^[-+]?\d+$/.test(node.value)) return `write ${node.value} without quotes`;
  const duration = /^(\d+)(ms|s|m|h)$/.exec(node.value);
  if (duration === null || !path.endsWith('Seconds')) return undefined;
  const seconds = Number(duration[1]) * (SECONDS[duration[2] ?? ''] ?? 1);
  return `give seconds as a number${Number.isInteger(seconds) ? `: ${seconds}` : ''}`;
}

/** A hint where a boolean is required. */
export function booleanHint(node: SourceNode): string | undefined {
  const isWord = node.kind === 'scalar' && /^(?:true|false)$/i.test(String(node.value));
  return isWord ? `write ${String(node.value).toLowerCase()} without quotes` : undefined;
}

const DECIMAL_UNITS: Readonly<Record<string, string>> = { K: 'k or Ki', KB: 'k or Ki', MB: 'M or Mi', GB: 'G or Gi' };

/** A hint where a quantity is required. */
export function quantityHint(text: string): string | undefined {
  const match = /^([-+]?[0-9.]+)(\s*)([A-Za-z]*)$/.exec(text.trim());
  if (match === null) return undefined;
  const [, number = '', blank, unit = ''] = match;
  const better = DECIMAL_UNITS[unit.toUpperCase()];
  if (better !== undefined) return `the unit is ${better}`;
  return blank === '' ? undefined : `write ${number}${unit}`;
}
