import type { Pod, PodSpec, PodStatus, Volume } from '../../api/generated/types.ts';
import { SCHEDULING_GATED, type KubeObject } from '../../api/objects.ts';
import { qosClassOf } from '../../api/pod-resources.ts';
import type { Decoded } from '../decoded.ts';
import { changeFields, omit } from './fill.ts';

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
  'Job',
  'ReplicaSet',
  'ReplicationController',
  'StatefulSet',
]);

/** Replaces a negative grace period. */
const SHORTEST_GRACE_SECONDS = 1;

/**
 * Prepares a defaulted object as a new one: generation 1, only the initial status, without fields that only the server
 * writes, without fields of disabled features.
 * Source: pkg/registry/core/pod/strategy.go, PrepareForCreate, and rest.FillObjectMetaSystemFields.
 */
export function prepareForCreate(object: KubeObject): KubeObject {
  const { generation: _, ...own } = omit(object.metadata, SERVER_METADATA);
  const metadata = COUNTED_KINDS.has(object.kind) ? { ...own, generation: 1 } : own;
  const fresh: KubeObject = { ...omit(object, ['status']), metadata, apiVersion: object.apiVersion, kind: object.kind };
  if (object.kind !== 'Pod') return fresh;
  // A manifest with a uid comes from a cluster: the node that its scheduler chose does not exist here.
  return preparePod(object.metadata.uid ? withoutNode(fresh) : fresh) as KubeObject;
}

function withoutNode(pod: Decoded<Pod>): Decoded<Pod> {
  return changeFields(pod, { spec: (spec) => omit(spec, ['nodeName']) });
}

function preparePod(pod: Decoded<Pod>): Decoded<Pod> {
  const spec = withoutDisabledFields(pod.spec ?? {});
  const prepared = changeFields(spec, {
    terminationGracePeriodSeconds: (seconds) => (seconds < 0 ? SHORTEST_GRACE_SECONDS : seconds),
  });
  return { ...pod, spec: prepared, status: firstStatus(prepared) };
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

/**
 * Drops the fields of features that are disabled in v1.36, as a cluster does silently. ContainerStopSignals
 * (`lifecycle.stopSignal`) is disabled there too, but works here.
 */
export function withoutDisabledFields(spec: Decoded<PodSpec>): Decoded<PodSpec> {
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
  if (object.kind !== 'Pod') return [];
  const spec = (object as Decoded<Pod>).spec ?? {};
  const ofVolumes = (spec.volumes ?? []).flatMap((volume, index) =>
    (volume.projected?.sources ?? []).flatMap((source, at) =>
      (['clusterTrustBundle', 'podCertificate'] as const)
        .filter((field) => source[field] !== undefined)
        .map((field) => `spec.volumes[${index}].projected.sources[${at}].${field}`),
    ),
  );
  const ofSpec = spec.schedulingGroup === undefined ? [] : ['spec.schedulingGroup'];
  return [...ofVolumes, ...ofSpec];
}
