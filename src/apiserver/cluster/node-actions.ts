import {
  DEFAULT_NAMESPACE,
  hasCode,
  type StoredEvent,
  type StoredKubeObject,
  type StoredPod,
  type WatchEvent,
} from '../../api/index.ts';
import type { Clock } from '../../clock.ts';
import {
  type ActionTarget,
  changedNode,
  changedPod,
  type ClusterNode,
  type NodeAction,
} from '../../controllers/index.ts';
import type { Store } from '../../store/index.ts';
import { EventRecorder } from '../base/event-recorder.ts';

export interface NodeActionsOptions {
  readonly store: Store;
  readonly clock: Clock;
  /** Deletes a Pod. Undefined: with its own grace period. */
  readonly deletePod: (pod: StoredPod, graceSeconds: number | undefined) => void;
  readonly onEvent: (event: WatchEvent<StoredEvent>) => void;
  readonly onTrouble: (error: unknown) => void;
}

/** Carries out what the controllers of nodes decide: writes into Nodes and Pods, deletions and Events. */
export class NodeActions {
  readonly #options: NodeActionsOptions;
  readonly #recorder: EventRecorder;

  constructor(options: NodeActionsOptions) {
    this.#options = options;
    this.#recorder = new EventRecorder(options);
  }

  /**
   * Carries out actions in order, up to the first one that fails. An object that is gone is passed over.
   * @returns false when one has failed
   */
  carryOut(actions: readonly NodeAction[]): boolean {
    for (const action of actions) {
      try {
        this.#carryOut(action);
      } catch (error) {
        if (hasCode(error, 'NotFound')) continue;
        this.#options.onTrouble(error);
        return false;
      }
    }
    return true;
  }

  #carryOut(action: NodeAction): void {
    const { on } = action;
    const { wallMs } = this.#options.clock.now();
    switch (action.type) {
      case 'conditions':
        return this.#change<ClusterNode>('nodes', on, 'status', (node) => changedNode(node, action, wallMs));
      case 'taints':
        return this.#change<ClusterNode>('nodes', on, 'object', (node) => changedNode(node, action, wallMs));
      case 'status':
        return this.#change<StoredPod>('pods', on, 'status', (pod) => changedPod(pod, action, wallMs));
      case 'delete': {
        const pod = this.#options.store.get<StoredPod>('pods', on.namespace, on.name);
        if (pod?.metadata.uid === on.uid) this.#options.deletePod(pod, action.graceSeconds);
        return;
      }
      case 'event':
        return this.#recorder.recordAs(action.component, this.#subjectOf(on), action.event);
      default:
        return action satisfies never;
    }
  }

  #change<T extends StoredKubeObject | StoredPod>(
    resource: 'nodes' | 'pods',
    { namespace, name, uid }: ActionTarget,
    part: 'object' | 'status',
    edit: (stored: T) => T,
  ): void {
    const key = { namespace: resource === 'nodes' ? DEFAULT_NAMESPACE : namespace, name };
    this.#options.store.change<T>(resource, key, part, (stored) =>
      stored.metadata.uid === uid ? edit(stored) : stored,
    );
  }

  /** A removed Node has Events as well. Nodes have no namespace. */
  #subjectOf({ apiVersion, kind, namespace, name, uid }: ActionTarget): StoredKubeObject | StoredPod {
    const pod = kind === 'Pod' ? this.#options.store.get<StoredPod>('pods', namespace, name) : undefined;
    if (pod?.metadata.uid === uid) return pod;
    const metadata = { name, uid, ...(kind === 'Pod' && { namespace }) };
    return { apiVersion, kind, metadata } as StoredKubeObject;
  }
}
