import { type KubeObject, type LabelSelector, selectorText, type StoredKubeObject } from '../../api/index.ts';
import type { TargetScale } from '../../controllers/index.ts';
import type { CustomVersion } from '../resources/served-resource.ts';

/** The paths of a custom kind. Undefined: a workload of Kubernetes. */
type ReplicaPaths = CustomVersion['scale'];

/** The replicas that a Scale asks for. */
export function replicasOf(scale: KubeObject): number {
  return (scale['spec'] as { replicas?: number } | undefined)?.replicas ?? 0;
}

/** The Scale of a workload. Source: pkg/registry/apps/deployment/storage/storage.go, scaleFromDeployment. */
export function scaleOf(object: StoredKubeObject, paths: ReplicaPaths): KubeObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const replicas = at(object, paths?.specPath ?? '.spec.replicas') ?? 0;
  const present = at(object, paths?.statusPath ?? '.status.replicas') ?? 0;
  const selector = paths === undefined ? ownSelector(object) : at(object, paths.selectorPath ?? '.none');
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    spec: replicas === 0 ? {} : { replicas },
    status: { replicas: present, ...(typeof selector === 'string' && { selector }) },
  };
}

/** The scale of a workload, as an autoscaler reads it. */
export function targetScale(object: StoredKubeObject, paths?: ReplicaPaths): TargetScale {
  const { spec, status } = scaleOf(object, paths) as unknown as {
    readonly spec: { readonly replicas?: number };
    readonly status: { readonly replicas: number; readonly selector?: string };
  };
  return { replicas: spec.replicas ?? 0, statusReplicas: status.replicas, selector: status.selector ?? '' };
}

/** The selector of a ReplicationController is a map of labels. */
function ownSelector(object: StoredKubeObject): string {
  const selector = at(object, '.spec.selector') as LabelSelector | Record<string, string> | undefined;
  const isMap = object.kind === 'ReplicationController';
  return selectorText(isMap ? { matchLabels: selector as Record<string, string> } : selector);
}

/** The workload with another number of replicas. */
export function withReplicas(object: KubeObject, paths: ReplicaPaths, replicas: number): KubeObject {
  return set(object, fieldsIn(paths?.specPath ?? '.spec.replicas'), replicas) as KubeObject;
}

function fieldsIn(path: string): string[] {
  return path.split('.').filter((field) => field !== '');
}

function at(object: object, path: string): unknown {
  let value: unknown = object;
  for (const field of fieldsIn(path)) value = (value as Record<string, unknown> | undefined)?.[field];
  return value;
}

function set(value: unknown, [field, ...rest]: readonly string[], wanted: unknown): unknown {
  if (field === undefined) return wanted;
  const before = (value ?? {}) as Record<string, unknown>;
  return { ...before, [field]: set(before[field], rest, wanted) };
}
