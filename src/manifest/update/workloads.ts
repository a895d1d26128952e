import type {
  Container,
  ControllerRevision,
  DaemonSet,
  Deployment,
  Job,
  JobSpec,
  PersistentVolume,
  PersistentVolumeClaim,
  PodTemplateSpec,
  ReplicaSet,
  StatefulSet,
} from '../../api/index.ts';
import type { Decoded } from '../base/decoded.ts';
import { type FieldError, forbidden, invalid } from '../base/field-error.ts';
import { defaultStatefulSet } from '../default/workloads.ts';
import { omit } from '../default/fill.ts';
import { compareRequests } from '../admission/claim-resize.ts';
import { persistentSources } from '../validate/persistent-source.ts';
import { describeDifferences, immutable, immutableUnseen, isSameValue } from './differences.ts';

type Selecting = Decoded<Deployment> | Decoded<ReplicaSet> | Decoded<DaemonSet>;

/** Refuses a change of the selector. Source: pkg/registry/apps/{deployment,replicaset,daemonset}/strategy.go. */
export function validateSelectorUpdate(stored: Selecting, changed: Selecting): FieldError[] {
  return immutable('spec.selector', stored.spec?.selector, changed.spec?.selector, 'meta.LabelSelector');
}

const FREE_IN_STATEFUL_SETS = [
  ...(['replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit'] as const),
  ...(['persistentVolumeClaimRetentionPolicy', 'minReadySeconds'] as const),
];
const STATEFUL_SET_FIELDS =
  "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', " +
  "'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";

/** Source: pkg/apis/apps/validation/validation.go, ValidateStatefulSetUpdate. */
export function validateStatefulSetUpdate(stored: Decoded<StatefulSet>, changed: Decoded<StatefulSet>): FieldError[] {
  // An earlier version may have stored it with fewer defaults.
  const [before, after] = [stored, changed].map((set) =>
    omit(defaultStatefulSet(set).spec ?? {}, FREE_IN_STATEFUL_SETS),
  );
  return isSameValue(before, after, 'apps.StatefulSetSpec') ? [] : [forbidden('spec', STATEFUL_SET_FIELDS)];
}

/** Immutable fields of a Job with their types. The template and `completions` have rules of their own. */
const FIXED_IN_JOBS = [
  ['selector', 'meta.LabelSelector'],
  ['completionMode', 'string'],
  ['podFailurePolicy', 'batch.PodFailurePolicy'],
  ['backoffLimitPerIndex', 'int32'],
  ['managedBy', 'string'],
  ['successPolicy', 'batch.SuccessPolicy'],
] as const;

/** Source: pkg/apis/batch/validation/validation.go, ValidateJobSpecUpdate. */
export function validateJobUpdate(stored: Decoded<Job>, changed: Decoded<Job>): FieldError[] {
  const [before, after] = [stored.spec ?? {}, changed.spec ?? {}];
  return [
    ...validateCompletions(before, after),
    ...immutableUnseen('spec.template', comparableTemplate(stored, after), after.template, 'PodTemplateSpec'),
    ...FIXED_IN_JOBS.flatMap(([field, type]) => immutable(`spec.${field}`, before[field], after[field], type)),
  ];
}

/**
 * The stored template with the new values of the fields that may change: of a suspended Job without Pods, metadata,
 * what chooses a node, and resources. Source: validatePodTemplateUpdate.
 */
function comparableTemplate({ spec, status }: Decoded<Job>, after: Decoded<JobSpec>): Decoded<PodTemplateSpec> {
  const before = spec?.template ?? {};
  if (spec?.suspend !== true || (status?.active ?? 0) > 0) return before;
  const { metadata, spec: wanted = {} } = after.template ?? {};
  const { nodeSelector, tolerations, schedulingGates, affinity } = wanted;
  const otherAffinity = omit(before.spec?.affinity ?? {}, ['nodeAffinity']);
  const hasNoAffinity = affinity === undefined && Object.keys(otherAffinity).length === 0;
  const withResources = (name: 'containers' | 'initContainers'): Decoded<Container>[] | undefined =>
    before.spec?.[name]?.map((container, index) => ({ ...container, resources: wanted[name]?.[index]?.resources }));
  return {
    metadata: metadata && { ...before.metadata, labels: metadata.labels, annotations: metadata.annotations },
    spec: {
      ...before.spec,
      nodeSelector,
      tolerations,
      schedulingGates,
      affinity: hasNoAffinity ? undefined : { ...otherAffinity, nodeAffinity: affinity?.nodeAffinity },
      containers: withResources('containers'),
      initContainers: withResources('initContainers'),
    },
  };
}

/** Allows the completions of an Indexed Job to change together with its parallelism, to the same number. */
function validateCompletions(before: Decoded<JobSpec>, after: Decoded<JobSpec>): FieldError[] {
  const path = 'spec.completions';
  if (after.completionMode !== 'Indexed') return immutable(path, before.completions, after.completions, 'int32');
  if (after.completions === undefined || after.completions === before.completions) return [];
  if (after.completions === after.parallelism) return [];
  return [invalid(path, after.completions, 'can only be modified in tandem with spec.parallelism')];
}

/** Source: pkg/apis/apps/validation/validation.go, ValidateControllerRevisionUpdate. */
export function validateRevisionUpdate(
  stored: Decoded<ControllerRevision>,
  changed: Decoded<ControllerRevision>,
): FieldError[] {
  return immutable('data', stored.data, changed.data, 'object');
}

const CLAIM_FIELDS =
  'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims';

/**
 * Refuses a change of the spec. A bound claim may ask for another amount, but for no less than it has.
 * Source: pkg/apis/core/validation/validation.go, ValidatePersistentVolumeClaimUpdate.
 */
export function validateClaimUpdate(
  stored: Decoded<PersistentVolumeClaim>,
  changed: Decoded<PersistentVolumeClaim>,
): FieldError[] {
  const type = 'PersistentVolumeClaimSpec';
  const isBound = stored.status?.phase === 'Bound';
  const before = stored.spec;
  const after = isBound ? { ...changed.spec, resources: before?.resources } : changed.spec;
  if (!isSameValue(before, after, type)) {
    return [forbidden('spec', `${CLAIM_FIELDS}\n${describeDifferences('spec', before, changed.spec, type)}`)];
  }
  if (!isBound || compareRequests(changed, stored) >= 0) return [];
  return [forbidden('spec.resources.requests.storage', 'field can not be less than status.capacity')];
}

/**
 * Refuses another source, mode or node of a volume. A secret with which a CSI driver enlarges it may come later.
 * Source: pkg/apis/core/validation/validation.go, ValidatePersistentVolumeUpdate.
 */
export function validateVolumeUpdate(
  { spec: before = {} }: Decoded<PersistentVolume>,
  { spec: after = {} }: Decoded<PersistentVolume>,
): FieldError[] {
  const addsSecret = before.csi !== undefined && before.csi.controllerExpandSecretRef === undefined;
  const known = addsSecret && after.csi ? { ...after, csi: omit(after.csi, ['controllerExpandSecretRef']) } : after;
  const isSameSource = isSameValue(persistentSources(before), persistentSources(known), 'PersistentVolumeSpec');
  const path = 'spec.persistentvolumesource';
  return [
    ...(isSameSource ? [] : [forbidden(path, `${path} is immutable after creation`)]),
    ...immutable('volumeMode', before.volumeMode, after.volumeMode, 'string'),
    ...(before.nodeAffinity === undefined
      ? []
      : immutable('spec.nodeAffinity', before.nodeAffinity, after.nodeAffinity, 'VolumeNodeAffinity')),
  ];
}
