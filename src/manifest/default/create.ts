import {
  isJsonObject,
  type KubeObject,
  MIRROR_ANNOTATION,
  type ObjectMeta,
  type Pod,
  type PodSpec,
  type PodStatus,
  qosClassOf,
  SCHEDULING_GATED,
  type Volume,
} from '../../api/index.ts';
import type { Decoded } from '../base/decoded.ts';
import { withGeneratedSelector } from '../base/generated-selector.ts';
import { podIn } from '../base/pod-specs.ts';
import { child } from '../base/field-error.ts';
import { changeFields, omit } from './fill.ts';
import { withClusterIPs } from './networking.ts';
import { withAffinityKeys } from './affinity-keys.ts';
import { withBothSources } from './volume.ts';

/** Metadata that only the server writes. A manifest that was read from a cluster contains it. */
const SERVER_METADATA = [
  'uid',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'selfLink',
] as const;

/** Kinds whose spec has a generation. Source: the `PrepareForCreate` of their strategies. */
const COUNTED_KINDS = new Set([
  'Pod',
  'CronJob',
  'DaemonSet',
  'Deployment',
  'DeviceClass',
  'EndpointSlice',
  'FlowSchema',
  'Ingress',
  'IngressClass',
  'Job',
  'MutatingAdmissionPolicy',
  'MutatingAdmissionPolicyBinding',
  'MutatingWebhookConfiguration',
  'NetworkPolicy',
  'PodDisruptionBudget',
  'PodTemplate',
  'PriorityClass',
  'PriorityLevelConfiguration',
  'ReplicaSet',
  'ReplicationController',
  'ResourceSlice',
  'StatefulSet',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionPolicyBinding',
  'ValidatingWebhookConfiguration',
]);

/** Replaces a negative grace period. */
const SHORTEST_GRACE_SECONDS = 1;

/**
 * Prepares a defaulted object as a new one: generation 1, only the initial status, without fields that only the server
 * writes, without fields of disabled features. With its uid, a Job gets its selector.
 * Source: pkg/registry/core/pod/strategy.go, PrepareForCreate, and rest.FillObjectMetaSystemFields.
 */
export function prepareForCreate(object: KubeObject, uid?: string): KubeObject {
  const { generation: _, ...own } = omit(object.metadata, SERVER_METADATA);
  const given = uid === undefined ? own : { ...own, uid };
  const metadata = COUNTED_KINDS.has(object.kind) ? { ...given, generation: 1 } : given;
  // A Node comes with its status. Source: pkg/registry/core/node/strategy.go.
  const first = object.kind === 'Node' ? object : omit(object, ['status']);
  const fresh: KubeObject = { ...first, metadata, apiVersion: object.apiVersion, kind: object.kind };
  const enabled = withoutDisabledFields(fresh);
  if (object.kind === 'Service') return withClusterIPs(enabled) as KubeObject;
  if (object.kind === 'Job' && uid !== undefined) return withGeneratedSelector(enabled, uid);
  if (object.kind === 'PersistentVolumeClaim') return withBothSources(enabled) as KubeObject;
  if (object.kind !== 'Pod') return enabled;
  // A manifest with a uid comes from a cluster: the node that its scheduler chose does not exist here.
  return preparePod(withAffinityKeys(object.metadata.uid ? withoutNode(enabled) : enabled)) as KubeObject;
}

function withoutNode(pod: Decoded<Pod>): Decoded<Pod> {
  return changeFields(pod, { spec: (spec) => omit(spec, ['nodeName']) });
}

function preparePod(pod: Decoded<Pod>): Decoded<Pod> {
  const prepared = changeFields(pod.spec ?? {}, {
    terminationGracePeriodSeconds: (seconds) => (seconds < 0 ? SHORTEST_GRACE_SECONDS : seconds),
  });
  return { ...pod, metadata: notMirrored(pod.metadata ?? {}), spec: prepared, status: firstStatus(prepared) };
}

/**
 * The manifest of a mirror Pod comes from a cluster, like the manifest of any other Pod: no static Pod is behind it.
 */
function notMirrored({ annotations, ...metadata }: Decoded<ObjectMeta>): Decoded<ObjectMeta> {
  return { ...metadata, ...(annotations && { annotations: omit(annotations, [MIRROR_ANNOTATION]) }) };
}

function firstStatus(spec: Decoded<PodSpec>): PodStatus {
  const status: PodStatus = { phase: 'Pending', qosClass: qosClassOf(spec) };
  if ((spec.schedulingGates ?? []).length === 0) return status;
  const gated = {
    type: 'PodScheduled',
    status: 'False',
    lastProbeTime: null,
    lastTransitionTime: null,
    ...SCHEDULING_GATED,
  };
  return { ...status, conditions: [gated] };
}

/** Fields whose features are disabled in v1.36. */
const DISABLED_FIELDS: Readonly<Record<string, readonly string[]>> = {
  Job: ['spec.scheduling'],
  CronJob: ['spec.jobTemplate.spec.scheduling'],
  // Source: pkg/registry/coordination/lease/strategy.go, CoordinatedLeaderElection.
  Lease: ['spec.preferredHolder', 'spec.strategy'],
  StatefulSet: ['spec.updateStrategy.rollingUpdate.maxUnavailable'],
};

/**
 * Drops the fields of features that are disabled in v1.36, as a cluster does silently. ContainerStopSignals
 * (`lifecycle.stopSignal`) is disabled there too, but works here.
 */
export function withoutDisabledFields<T extends Decoded<KubeObject>>(object: T): T {
  const trimmed = (DISABLED_FIELDS[object.kind ?? ''] ?? []).reduce<unknown>((value, disabled) => {
    const path = disabled.split('.');
    return changeAt(value, path.slice(0, -1), (parent) => omit(parent, path.slice(-1)));
  }, object);
  const pod = podIn(object as KubeObject);
  if (pod === undefined) return trimmed as T;
  const specPath = [...pod.path.split('.'), 'spec'].filter(Boolean);
  return changeAt(trimmed, specPath, withoutDisabledPodFields) as T;
}

/** Changes the object at a path, if it exists. */
function changeAt(
  value: unknown,
  path: readonly string[],
  change: (target: Record<string, unknown>) => unknown,
): unknown {
  if (!isJsonObject(value)) return value;
  const [field, ...rest] = path;
  if (field === undefined) return change(value);
  const inner = value[field];
  return isJsonObject(inner) ? { ...value, [field]: changeAt(inner, rest, change) } : value;
}

function withoutDisabledPodFields(spec: Decoded<PodSpec>): Decoded<PodSpec> {
  const withoutSources = (volume: Decoded<Volume>): Decoded<Volume> =>
    changeFields(volume, {
      projected: (projected) =>
        changeFields(projected, {
          sources: (sources) => sources.map((source) => omit(source, ['clusterTrustBundle', 'podCertificate'])),
        }),
    });
  return changeFields(omit(spec, ['schedulingGroup']), {
    volumes: (volumes) => volumes.map(withoutSources),
  });
}

/** Paths of the fields that `prepareForCreate` drops with disabled features. Each gets a warning. */
export function droppedFields(object: KubeObject): string[] {
  const ofKind = DISABLED_FIELDS[object.kind] ?? [];
  const pod = podIn(object);
  return [
    ...ofKind.filter((path) => valueAt(object, path) !== undefined),
    ...(pod === undefined ? [] : droppedPodFields(child(pod.path, 'spec'), pod.pod.spec ?? {})),
  ];
}

function valueAt(object: KubeObject, path: string): unknown {
  return path.split('.').reduce<unknown>((value, field) => (isJsonObject(value) ? value[field] : undefined), object);
}

function droppedPodFields(path: string, spec: Decoded<PodSpec>): string[] {
  const ofVolumes = (spec.volumes ?? []).flatMap((volume, index) =>
    (volume.projected?.sources ?? []).flatMap((source, at) =>
      (['clusterTrustBundle', 'podCertificate'] as const)
        .filter((field) => source[field] !== undefined)
        .map((field) => `${path}.volumes[${index}].projected.sources[${at}].${field}`),
    ),
  );
  const ofSpec = spec.schedulingGroup === undefined ? [] : [`${path}.schedulingGroup`];
  return [...ofVolumes, ...ofSpec];
}
