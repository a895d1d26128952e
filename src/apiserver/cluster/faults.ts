import {
  controllerOf,
  type JobStatus,
  type KubeObject,
  type StoredPod,
  trueCondition,
  type WatchEvent,
} from '../../api/index.ts';
import { goalState, lapseOf, type PodGoal } from '../../lifecycle/index.ts';
import { firstCause, howLapsed, whyLapsed } from '../../print/index.ts';
import { type FileStore, podEvidence, type Subscription } from '../../store/index.ts';

const READY: PodGoal = { type: 'condition', condition: 'Ready', status: 'True' };

type Job = KubeObject & { readonly status?: JobStatus };

/**
 * Finds what fails while COMMAND runs, as `apply -- COMMAND` does: servers that were Ready and did not stay so, and
 * Pods and Jobs that have failed in the end. What COMMAND deletes has no end of its own.
 */
export class FaultWatch {
  readonly #store: FileStore;
  readonly #subscription: Subscription;
  /** Servers as they were when they first were Ready, by uid. */
  readonly #ready = new Map<string, StoredPod>();
  /** A sentence for each Pod that did not stay Ready, by uid. */
  readonly #lapses = new Map<string, string>();

  constructor(store: FileStore) {
    this.#store = store;
    this.#subscription = store.watch<StoredPod>('pods', {}, (event) => this.#changed(event));
  }

  /** Sentences about all faults. Called once, before the Pods are ended. */
  end(): readonly string[] {
    this.#subscription.close();
    const pods = this.#store.list<StoredPod>('pods').filter((pod) => controllerOf(pod) === undefined);
    const failed = pods.filter(({ metadata, status }) => status.phase === 'Failed' && !this.#lapses.has(metadata.uid));
    const jobs = this.#store.list<Job>('jobs').flatMap(({ metadata, status = {} }) => {
      const condition = trueCondition(status, 'Failed');
      return condition === undefined ? [] : [`job "${metadata.name}" failed: ${condition.message ?? ''}`];
    });
    return [
      ...this.#lapses.values(),
      ...failed.map((pod) => `pod "${pod.metadata.name}" failed: ${firstCause(pod, podEvidence(this.#store, pod))}`),
      ...jobs,
    ];
  }

  #changed({ type, object: pod }: WatchEvent<StoredPod>): void {
    const { uid, name } = pod.metadata;
    if (type === 'DELETED') return void this.#ready.delete(uid);
    // Other Pods come to an end of their own.
    if (pod.spec.restartPolicy !== 'Always' || this.#lapses.has(uid)) return;
    const before = this.#ready.get(uid);
    if (before === undefined) {
      if (goalState(READY, pod) === 'met') this.#ready.set(uid, pod);
      return;
    }
    const lapse = lapseOf(READY, before, pod, false);
    if (lapse === undefined) return;
    const why = whyLapsed(lapse, podEvidence(this.#store, pod));
    this.#lapses.set(uid, `pod "${name}" ${howLapsed(lapse)} while COMMAND was running: ${why}`);
  }
}
