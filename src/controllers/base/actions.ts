import { isJsonObject, isSameJson, type JsonObject } from '../../api/index.ts';
import type {
  ControllerAction,
  ControllerEvent,
  DeleteAction,
  EventAction,
  NewObject,
  ActionTarget,
  Owned,
  UpdateAction,
} from './reconcile.ts';

/**
 * The Pods that one sync of a controller creates or deletes at most. The loop carries them out in parts.
 * Source: BurstReplicas of the ReplicaSet controller, MaxPodCreateDeletePerSync of the Job controller.
 */
export const PODS_PER_SYNC = 500;

/** Names one incarnation of an object. */
export function refOf({ apiVersion, kind, metadata: { namespace, name, uid } }: Owned): ActionTarget {
  return { apiVersion, kind, namespace, name, uid };
}

export function createAction(object: NewObject): ControllerAction {
  return { type: 'create', object };
}

/** @param patch a JSON merge patch of metadata and spec */
export function patchAction(object: Owned, patch: JsonObject): UpdateAction {
  return { type: 'update', on: refOf(object), patch };
}

/** Replaces the status, unless it is the same already. Fields that are undefined are absent. */
export function statusActions(object: Owned & { readonly status?: unknown }, status: object): UpdateAction[] {
  if (isSameJson(object.status ?? {}, status)) return [];
  return [{ type: 'update', on: refOf(object), status: presentFields(status) }];
}

/** Leaves out fields that are undefined, at any depth. */
function presentFields(fields: object): JsonObject {
  const present = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(present.map(([key, value]) => [key, isJsonObject(value) ? presentFields(value) : value]));
}

export function deleteAction(object: Owned, propagation: DeleteAction['propagation'] = 'Background'): DeleteAction {
  return { type: 'delete', on: refOf(object), propagation };
}

/** @param component the controller that tells of it: see texts/components.ts */
export function eventAction(object: Owned, component: string, event: ControllerEvent): EventAction {
  return { type: 'event', on: refOf(object), component, event };
}
