import {
  type AutoscalingV2CrossVersionObjectReference,
  qualifiedPlural,
  resourceTypeOf,
  type StoredKubeObject,
} from '../api/index.ts';
import { type AutoscalerApi, type ObjectCache, targetScale } from '../apiserver/index.ts';
import {
  type MetricAnswer,
  NO_SCALE,
  noMatchForKind,
  notStored,
  type Owned,
  type TargetScale,
} from '../controllers/index.ts';

/** The object that an autoscaler scales. */
export interface ScaleTarget {
  readonly object: Owned;
  readonly scale: TargetScale;
  /** Undefined: a kind of Kubernetes, whose replicas are in its spec. */
  readonly rescale?: (replicas: number) => void;
}

/** The kinds of Kubernetes that have replicas to set. */
const SCALABLE: Readonly<Record<string, string>> = {
  Deployment: 'apps',
  ReplicaSet: 'apps',
  ReplicationController: '',
  StatefulSet: 'apps',
};

/**
 * The target of an autoscaler, or why there is none. Its version does not matter: the group and the kind name it.
 * Source: pkg/controller/podautoscaler/horizontal.go scaleForResourceMappings.
 */
export function scaleTarget(
  { cache, api }: { readonly cache: ObjectCache; readonly api: AutoscalerApi | undefined },
  namespace: string,
  { apiVersion = '', kind, name }: AutoscalingV2CrossVersionObjectReference,
): MetricAnswer<ScaleTarget> {
  const group = groupOf(apiVersion);
  if (SCALABLE[kind] !== group) {
    const custom = api?.customTarget(group, kind, { namespace, name });
    if (custom !== undefined) return custom;
    const isKnown = resourceTypeOf({ apiVersion, kind }).aliases.length > 0;
    return { error: isKnown ? NO_SCALE : noMatchForKind(kind, group) };
  }
  const object = cache.allOf(namespace, kind).find(({ metadata }) => metadata.name === name);
  if (object === undefined) {
    const version = group === '' ? 'v1' : 'apps/v1';
    return { error: notStored(qualifiedPlural(resourceTypeOf({ apiVersion: version, kind })), name) };
  }
  return { value: { object, scale: targetScale(object as StoredKubeObject) } };
}

const groupOf = (apiVersion: string): string =>
  apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
