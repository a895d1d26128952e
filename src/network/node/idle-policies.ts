import type { StoredEvent, StoredKubeObject, StoredPod } from '../../api/index.ts';
import { type EventDraft, policyHasNoEffect, type WithoutPolicies } from '../../lifecycle/index.ts';
import { Informer, type Store } from '../../store/index.ts';

interface IdlePoliciesOptions {
  readonly store: Store;
  readonly why: WithoutPolicies;
  readonly record: (about: StoredKubeObject, event: EventDraft) => void;
}

/** Says of each NetworkPolicy in a namespace of an agent's Pods that it restricts nothing there. */
export class IdlePolicies {
  readonly #options: IdlePoliciesOptions;
  readonly #policies: Informer<StoredKubeObject>;
  /** The namespaces of the Pods. */
  readonly #namespaces = new Set<string>();
  /** The uids of the policies with an event. */
  readonly #recorded = new Set<string>();

  constructor(options: IdlePoliciesOptions) {
    this.#options = options;
    this.#policies = new Informer({ store: options.store, resource: 'networkpolicies' }, ({ type, object }) => {
      if (type !== 'DELETED') this.#tell([object]);
    });
  }

  admit({ metadata }: StoredPod): void {
    this.#namespaces.add(metadata.namespace);
    this.#tell(this.#policies.all);
  }

  close(): void {
    this.#policies.close();
  }

  #tell(policies: readonly StoredKubeObject[]): void {
    const { store, why, record } = this.#options;
    const event = policyHasNoEffect(why);
    for (const policy of policies) {
      const { uid, namespace } = policy.metadata;
      if (!this.#namespaces.has(namespace) || this.#recorded.has(uid)) continue;
      this.#recorded.add(uid);
      const isRecorded = store
        .list<StoredEvent>('events', { namespace })
        .some(({ involvedObject, message }) => involvedObject.uid === uid && message === event.message);
      if (!isRecorded) record(policy, event);
    }
  }
}
