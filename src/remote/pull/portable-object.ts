import type { Container, KubeObject, PodSpec, PodTemplateSpec } from '../../api/index.ts';
import { isApiAccess, podIn } from '../../manifest/index.ts';

/** A manifest, and a sentence for each part of the object that is left out and was not the server's own. */
export interface PortableObject {
  readonly object: KubeObject;
  readonly leftOut: readonly string[];
}

/** Annotations that clients and controllers of the cluster write for themselves. */
const ANNOTATIONS_OF_SERVERS = anyOf(
  'kubectl.kubernetes.io/last-applied-configuration$',
  'deployment.kubernetes.io/',
  'deprecated.daemonset.',
  'cni.',
  'k8s.v1.cni.',
  'kubernetes.io/config.',
);
/** Labels by which controllers know their own Pods. */
const LABELS_OF_CONTROLLERS = anyOf(
  'pod-template-hash$',
  'controller-revision-hash$',
  'pod-template-generation$',
  '(batch.kubernetes.io/)?(controller-uid|job-name)$',
  'batch.kubernetes.io/job-completion-index$',
  'statefulset.kubernetes.io/pod-name$',
  'apps.kubernetes.io/pod-index$',
);
/** Tolerations that admission adds to every Pod, and the controller to Pods of a DaemonSet. */
const OWN_TOLERATION = /^node\.kubernetes\.io\//;
/** Fields of a Pod that the cluster sets, or that name something that only it has. */
const FIELDS_OF_SERVERS = [
  'nodeName',
  'serviceAccount',
  'serviceAccountName',
  'priority',
  'preemptionPolicy',
  'ephemeralContainers',
] as const;

/**
 * The manifest that an object of a cluster may have been made of: without what the cluster has set, so that it can be
 * applied elsewhere.
 */
export function portableObject(original: KubeObject): PortableObject {
  const { apiVersion, kind, metadata, status: _, ...rest } = original as KubeObject & { readonly status?: unknown };
  const object = { apiVersion, kind, metadata: portableMeta(metadata), ...structuredClone(rest) } as KubeObject;
  if (kind === 'Job') forgetJob(object['spec'] as Record<string, unknown>);
  const pod = podIn(object)?.pod as PodTemplateSpec | undefined;
  if (pod?.spec === undefined) return { object, leftOut: [] };
  const { spec, leftOut } = portablePod(pod.spec);
  pod.spec = spec;
  if (kind !== 'Pod') pod.metadata = portableMeta(pod.metadata ?? {});
  return { object, leftOut };
}

/** The metadata that a user writes. */
function portableMeta({ name, labels, annotations }: KubeObject['metadata']): KubeObject['metadata'] {
  const kept = (all: Readonly<Record<string, string>> | undefined, own: RegExp): Record<string, string> | undefined => {
    const entries = Object.entries(all ?? {}).filter(([key]) => !own.test(key));
    return entries.length === 0 ? undefined : Object.fromEntries(entries);
  };
  const ownLabels = kept(labels, LABELS_OF_CONTROLLERS);
  const ownAnnotations = kept(annotations, ANNOTATIONS_OF_SERVERS);
  return {
    ...(name !== undefined && { name }),
    ...(ownLabels && { labels: ownLabels }),
    ...(ownAnnotations && { annotations: ownAnnotations }),
  };
}

/** The API server makes the selector of a Job, from its uid. */
function forgetJob(spec: Record<string, unknown>): void {
  if (spec['manualSelector'] !== true) delete spec['selector'];
}

/** A Pod without what the cluster has set, and sentences about the rest. */
function portablePod(original: PodSpec): { readonly spec: PodSpec; readonly leftOut: readonly string[] } {
  const { serviceAccountName = 'default', ephemeralContainers = [] } = original;
  const account = `serviceAccountName ${serviceAccountName}: its rights come from the cluster`;
  const added = `ephemeral containers: ${ephemeralContainers.map(({ name }) => name).join(', ')}`;
  const volumes = original.volumes?.filter(({ name }) => !isApiAccess(name)) ?? [];
  const tolerations = original.tolerations?.filter(({ key = '' }) => !OWN_TOLERATION.test(key)) ?? [];
  const containers = original.containers.map(withoutToken);
  const initContainers = original.initContainers?.map(withoutToken);
  const { volumes: _, tolerations: __, ...rest } = original;
  const spec: PodSpec = {
    ...rest,
    ...(initContainers && { initContainers }),
    containers,
    ...(volumes.length > 0 && { volumes }),
    ...(tolerations.length > 0 && { tolerations }),
  };
  for (const field of FIELDS_OF_SERVERS) delete spec[field];
  return {
    spec,
    leftOut: [
      ...(serviceAccountName === 'default' ? [] : [account]),
      ...(ephemeralContainers.length > 0 ? [added] : []),
    ],
  };
}

function withoutToken(container: Container): Container {
  const { volumeMounts, ...rest } = container;
  const kept = volumeMounts?.filter(({ name }) => !isApiAccess(name)) ?? [];
  return { ...rest, ...(kept.length > 0 && { volumeMounts: kept }) };
}

/** A pattern for names that begin like one of these. */
function anyOf(...starts: readonly string[]): RegExp {
  return new RegExp(`^(${starts.join('|').replaceAll('.', '\\.')})`);
}
