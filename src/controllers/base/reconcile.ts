import type { JsonObject, ObjectMeta, StoredMeta, StoredPod } from '../../api/index.ts';

/**
 * The contract between controllers and the loop that runs them.
 *
 * A controller is a pure function of an object and its input. It returns one stage of its work: writes, in
 * the order in which a cluster's stream shows them. The loop carries them out, reads everything again and calls the
 * controller again, until it returns no actions but events. It also calls it when the object, or an object that it owns
 * or that matches its selector, has changed, and at the time that the controller asked for. A controller has no memory:
 * what it must know is in the objects. So the loop may die between any two actions, and another one continues.
 */

export type {
  StoredClaim,
  StoredCronJob,
  StoredDaemonSet,
  StoredDeployment,
  StoredJob,
  StoredReplicaSet,
  StoredReplicationController,
  StoredRevision,
  StoredStatefulSet,
  StoredVolume,
} from '../../api/index.ts';

/** Any object, as far as ownership and actions are concerned. */
export interface Owned {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: StoredMeta;
}

/** The moment of a reconcile, and names that no object has yet. */
export interface ReconcileMoment {
  readonly now: { readonly wallMs: number };
  /** Five characters for a generated name: see names.ts. */
  readonly suffix: () => string;
  /**
   * The action of the last stage that could not be carried out. The loop did none of the actions behind it, and reads
   * everything again. The controller returns the event and the status that report it; then the loop waits, longer
   * each time, and calls it without the failure.
   */
  readonly failure?: ActionFailure | undefined;
}

/** The input with the Pods of the object's namespace: its own, the ones its selector matches, and the rest. */
export interface PodsInput extends ReconcileMoment {
  readonly pods: readonly StoredPod[];
  /** Reads the Pods of all ReplicaSets of the controller of this one. Default: the ReplicaSet has no controller. */
  readonly relatedPods?: (() => readonly StoredPod[]) | undefined;
}

export interface ActionFailure {
  readonly type: 'create' | 'delete';
  /** The name of the object that could not be created or deleted. */
  readonly name: string;
  /** True when an object of that name exists. */
  readonly alreadyExists?: boolean | undefined;
  /** The words of the API server, for example `pods "web-x" is forbidden: exceeded quota`. */
  readonly error: string;
}

/** One stage of a controller's work. */
export interface Reconciliation {
  readonly actions: readonly ControllerAction[];
  /** The time of the next look if nothing happens before, in milliseconds since 1970. */
  readonly lookAgainAtMs?: number | undefined;
}

export type ControllerAction =
  | { readonly type: 'create'; readonly object: NewObject }
  | UpdateAction
  | DeleteAction
  | EventAction;

export interface EventAction {
  readonly type: 'event';
  readonly on: ActionTarget;
  /** The controller that reports. */
  readonly component: string;
  readonly event: ControllerEvent;
}

/**
 * One write. `patch` is a JSON merge patch of all but the status; `status` replaces the status. A write that does not
 * change the spec keeps the generation.
 */
export interface UpdateAction {
  readonly type: 'update';
  readonly on: ActionTarget;
  readonly patch?: JsonObject | undefined;
  readonly status?: JsonObject | undefined;
}

export interface DeleteAction {
  readonly type: 'delete';
  readonly on: ActionTarget;
  readonly propagation: 'Background' | 'Foreground';
}

/** An object to create: without uid, with its owner. The store fills in the defaults and all that the server writes. */
export interface NewObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta & { readonly name: string; readonly namespace: string };
  readonly [field: string]: unknown;
}

/** One incarnation of an object. */
export interface ActionTarget {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

export interface ControllerEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}
