import type { Owned } from '../base/reconcile.ts';

/** The way of the objects that a deleted object owns. */
export type PropagationPolicy = 'Background' | 'Foreground' | 'Orphan';

/** Finalizers of an object that waits for its dependents. Source: k8s.io/apimachinery/pkg/apis/meta/v1/types.go. */
export const FOREGROUND_FINALIZER = 'foregroundDeletion';
export const ORPHAN_FINALIZER = 'orphan';

/**
 * Kinds whose dependents live on when a request names no policy. Source: their strategies'
 * DefaultGarbageCollectionPolicy.
 */
const ORPHANING = new Set(['batch/v1 Job', 'v1 ReplicationController']);

/** The policy of a request that names none. kubectl always names one. */
export function defaultPropagation({ apiVersion, kind }: Pick<Owned, 'apiVersion' | 'kind'>): PropagationPolicy {
  return ORPHANING.has(`${apiVersion} ${kind}`) ? 'Orphan' : 'Background';
}

/**
 * The finalizers of an object after a request to delete it: those that wait for its dependents come and go with the
 * policy. Source: apiserver/pkg/registry/generic/registry/store.go deletionFinalizersForGarbageCollection.
 */
export function finalizersAfterDelete({ metadata }: Pick<Owned, 'metadata'>, policy: PropagationPolicy): string[] {
  const others = (metadata.finalizers ?? []).filter(
    (name) => name !== FOREGROUND_FINALIZER && name !== ORPHAN_FINALIZER,
  );
  if (policy === 'Foreground') return [...others, FOREGROUND_FINALIZER];
  return policy === 'Orphan' ? [...others, ORPHAN_FINALIZER] : others;
}
