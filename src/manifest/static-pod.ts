import {
  type Container,
  DEFAULT_NAMESPACE,
  type Pod,
  type PodSpec,
  type StoredPod,
  type Volume,
} from '../api/index.ts';

/** Static Pods: Pods of files in a folder of the node. Source: pkg/kubelet/config/common.go. */

const PREFIX = 'kubernetes.io/config.';

export interface StaticPodOrigin {
  /** The hash of file, content and node: the uid that the kubelet gives a static Pod. */
  readonly hash: string;
  readonly nodeName: string;
  /** The time at which the file was first seen, in RFC 3339. */
  readonly seen: string;
}

/**
 * The mirror Pod of a static Pod, as the API shows it. podrun has one object for both. Source: applyDefaults, and
 * pkg/kubelet/pod/mirror_client.go, CreateMirrorPod.
 * @param pod defaulted and valid
 */
export function asMirrorPod(pod: StoredPod, { hash, nodeName, seen }: StaticPodOrigin): StoredPod {
  const { metadata, spec } = pod;
  const node = nodeName.toLowerCase();
  const tolerations = [...(spec.tolerations ?? []), { operator: 'Exists', effect: 'NoExecute' } as const];
  const origin = { hash, source: 'file', seen, mirror: hash };
  const added = Object.entries(origin).map(([key, value]) => [PREFIX + key, value]);
  return {
    ...pod,
    metadata: {
      ...metadata,
      name: `${metadata.name}-${node}`,
      namespace: metadata.namespace || DEFAULT_NAMESPACE,
      annotations: { ...metadata.annotations, ...(Object.fromEntries(added) as Record<string, string>) },
      ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: nodeName, uid: nodeName, controller: true }],
    },
    spec: { ...spec, nodeName, tolerations },
  };
}

/**
 * The objects of the API that a Pod refers to, which a static Pod may not do. Undefined: there are none.
 * Source: pkg/api/v1/pod/util.go, HasAPIObjectReference.
 */
export function apiReference({ spec }: Pod): string | undefined {
  if (spec === undefined) return undefined;
  if (spec.serviceAccountName) return 'serviceaccounts';
  if ((spec.imagePullSecrets ?? []).length > 0) return 'secrets';
  if ((spec.resourceClaims ?? []).length > 0) return 'resourceclaims';
  return first(containersOf(spec), variableReference) ?? first(spec.volumes ?? [], volumeReference);
}

const containersOf = ({ containers, initContainers = [] }: PodSpec): Container[] => [...initContainers, ...containers];

function first<T>(items: readonly T[], find: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const match = find(item);
    if (match !== undefined) return match;
  }
  return undefined;
}

function variableReference({ env = [], envFrom = [] }: Container): string | undefined {
  const sources = [...env.map(({ valueFrom }) => valueFrom), ...envFrom].map((source) => ({ ...source }));
  if (sources.some((source) => 'configMapKeyRef' in source || 'configMapRef' in source)) return 'configmaps';
  return sources.some((source) => 'secretKeyRef' in source || 'secretRef' in source) ? 'secrets' : undefined;
}

function volumeReference(volume: Volume): string | undefined {
  if (volume.configMap) return 'configmaps';
  if (volume.secret) return 'secrets';
  if (volume.persistentVolumeClaim) return 'persistentvolumeclaims';
  return first(volume.projected?.sources ?? [], ({ configMap, secret, serviceAccountToken, clusterTrustBundle }) => {
    if (configMap) return 'configmaps';
    if (secret) return 'secrets';
    if (serviceAccountToken) return 'serviceaccounts';
    return clusterTrustBundle ? 'clustertrustbundles' : undefined;
  });
}
