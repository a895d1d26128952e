import type { JsonObject } from '../../../src/api/base/json.ts';
import type { PropagationPolicy } from '../../../src/controllers/garbage/collect.ts';
import type { NewObject } from '../../../src/controllers/base/reconcile.ts';

/** A workload and everything that happens to it: plain data, so that it can be printed, shrunk and replayed. */
export interface WorkloadScenario {
  /** The applied object. */
  readonly object: NewObject;
  /** The programs of the first, second, … Pod. They begin again after the last one. */
  readonly programs: readonly PodProgram[];
  /** The happenings, in order. */
  readonly happenings: readonly Happening[];
  /** A last change, after which the workload comes to rest. */
  readonly restsWith: JsonObject;
  readonly deletion: PropagationPolicy;
}

export interface PodProgram {
  /** True: the node rejects the Pod as it begins, the first time. */
  readonly isRejected?: boolean | undefined;
  readonly startDelayMs: number;
  /** The time from its start to its own end. Undefined: it runs until it is stopped. */
  readonly exitAfterMs?: number | undefined;
  readonly exitCode?: number | undefined;
  /** The number of times that it ends by itself. Then it runs until it is stopped. Undefined: always. */
  readonly exits?: number | undefined;
  /** The time from the stop signal to the end. */
  readonly stopsAfterMs: number;
}

/** A request of a client, or a death. It happens so long after the one before it. */
export type Happening = { readonly afterMs: number } &
  /** A client patches the spec of the applied object. */
  (
    | { readonly does: 'change'; readonly spec: JsonObject }
    /** A client deletes one of the objects of a kind. */
    | { readonly does: 'delete'; readonly kind: 'Pod' | 'ReplicaSet' | 'Job'; readonly which: number }
    /** A client creates a Service that selects the Pods, or deletes it. */
    | { readonly does: 'service'; readonly name: 'web' | 'unready' }
    /** The containers of a Pod die for a reason from outside. */
    | { readonly does: 'crash'; readonly which: number; readonly exitCode: number }
    /** The agent is killed, at the write after so many others or at the next happening. Then another one goes on. */
    | { readonly does: 'kill'; readonly afterWrites: number; readonly withContainers: boolean }
    /** The agent ends as after Ctrl-C. At the next happening another one goes on. */
    | { readonly does: 'stop' }
  );
