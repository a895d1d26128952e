import {
  DEFAULT_NAMESPACE,
  isTerminalPhase,
  type StoredEvent,
  type StoredPod,
  type WatchEvent,
} from '../api/objects.ts';
import type { BackOffLimits } from '../lifecycle/plan/back-off.ts';
import type { PodActivity } from '../lifecycle/activity.ts';
import type { EventDraft } from '../lifecycle/effects.ts';
import type { Powers } from '../lifecycle/security/powers.ts';
import { apiServerNotices } from '../lifecycle/environment/api-server-variables.ts';
import { resourcesKey } from '../lifecycle/node/resources-key.ts';
import { type FoundInstance, type Restoration, restoredFacts } from '../lifecycle/restored-facts.ts';
import type { Subscription } from '../store/store.ts';
import { type MachineOptions, MachineSurroundings } from './machine-surroundings.ts';
import { PodRun } from './pod-run.ts';
import { judgeImages } from './prepare.ts';
import { Security } from './security.ts';

/** What Pods are run with, and who is told what becomes of them. */
export interface AgentOptions extends Omit<MachineOptions, 'security' | 'isRemoved'> {
  readonly crashLoop: BackOffLimits;
  /** What podrun may do here: asked for no sooner than somebody needs to know. */
  readonly powers: () => Powers;
  /** What a security context asks for and cannot have is told, and the container starts. */
  readonly isBestEffort: boolean;
  /** What of a Pod's spec has no effect here: an event each. */
  readonly notices: (pod: StoredPod) => readonly EventDraft[];
  /** A Pod has ended, or is gone. */
  readonly onOver: (pod: StoredPod) => void;
  /** The record of a Pod was removed behind podrun's back. The agent ends the Pod. */
  readonly onRecordLost: (pod: StoredPod) => void;
  /** Something was recorded about one of the Pods. */
  readonly onEvent: (event: WatchEvent<StoredEvent>) => void;
}

/** podrun's kubelet: runs the Pods that it is given, each by a PodRun of its own. */
export class Agent {
  readonly #options: AgentOptions;
  readonly #security: Security;
  readonly #machine: MachineSurroundings;
  readonly #runs: PodRun[] = [];
  /** Those that are not over. */
  readonly #live = new Set<PodRun>();
  /** What the others held when the run was last found to have no room. */
  readonly #foundNoRoom = new Map<PodRun, string>();
  /** While several runs are looked at, and nothing comes to be placed. */
  #placed: readonly StoredPod[] | undefined;
  /** UIDs of Pods whose objects are gone. */
  readonly #removed = new Set<string>();
  readonly #subscriptions: Subscription[] = [];

  constructor(options: AgentOptions) {
    this.#options = options;
    this.#security = new Security(options);
    this.#machine = new MachineSurroundings({
      ...options,
      security: this.#security,
      isRemoved: ({ metadata }) => this.#removed.has(metadata.uid),
    });
  }

  /** Takes a stored Pod on, which nobody else runs, and begins. */
  run(pod: StoredPod): void {
    this.#run(pod, undefined);
  }

  /**
   * Goes on with a Pod whose former agent is gone.
   * @param found the containers that the runtime has
   */
  resume(pod: StoredPod, found: readonly FoundInstance[]): void {
    const isPlaced = pod.spec.nodeName !== undefined;
    this.#run(pod, isPlaced ? restoredFacts(pod, found, this.#options.clock.now()) : undefined);
  }

  #run(pod: StoredPod, restoration: Restoration | undefined): void {
    const { store, clock, runtime, node, crashLoop, onOver, onEvent, onRecordLost, onTrouble } = this.#options;
    const { name, namespace } = pod.metadata;
    const run = new PodRun({
      pod,
      restoration,
      notices: (noticed) => [
        ...this.#options.notices(noticed),
        ...this.#security.notices(noticed),
        // Whoever applies a Service of that name has an API server.
        ...(store.get('services', DEFAULT_NAMESPACE, 'kubernetes') === undefined ? apiServerNotices(noticed) : []),
      ],
      store,
      clock,
      runtime,
      node,
      config: (changed) => ({ crashLoop, images: judgeImages(changed, this.#options.images) }),
      surroundings: this.#machine.surroundings(),
      placed: () => this.#placedBeside(run),
      hasClaim: ({ metadata }, claim) => store.get('persistentvolumeclaims', metadata.namespace, claim) !== undefined,
      onOver: (ended) => {
        this.#live.delete(run);
        this.#foundNoRoom.delete(run);
        this.#reconsider();
        onOver(ended);
      },
      onEvent,
      onRecordLost,
      onTrouble,
    });
    this.#runs.push(run);
    this.#live.add(run);
    this.#subscriptions.push(
      store.watch<StoredPod>('pods', { namespace, name }, ({ type, object }) => {
        if (type === 'DELETED') {
          this.#removed.add(object.metadata.uid);
          // The last state of an object that was deleted says so: see deletePod.
          run.objectGone(object.metadata.uid, object.metadata.deletionGracePeriodSeconds === 0);
        } else {
          run.objectChanged(object);
          this.#machine.podChanged(object);
        }
      }),
    );
    if ((pod.spec.volumes ?? []).some(({ persistentVolumeClaim: claim }) => claim !== undefined)) {
      this.#subscriptions.push(store.watch('persistentvolumeclaims', { namespace }, () => run.reconsider()));
    }
    run.begin();
  }

  /** Ends all Pods; their records stay. With `force`, by killing everything now; else in this time, or their own. */
  terminate(how: { readonly force: boolean; readonly graceSeconds?: number }): void {
    for (const run of this.#live) run.terminate(how);
  }

  /** Every Pod it was given has ended. */
  get isOver(): boolean {
    return this.#live.size === 0;
  }

  /** The Pods as last seen, in the order in which they came. */
  get pods(): readonly StoredPod[] {
    return this.#runs.map((run) => run.pod);
  }

  /** What is about to be done for the Pod with that uid; undefined: nothing. */
  activityOf(uid: string): PodActivity | undefined {
    return this.#runs.find(({ pod }) => pod.metadata.uid === uid)?.activity;
  }

  close(): void {
    for (const subscription of this.#subscriptions) subscription.close();
  }

  /** What a Pod has held is free: others may have room now. Where thousands wait, few of them are worth a look. */
  #reconsider(): void {
    let held = this.#lookAtPlaced();
    for (const run of this.#live) {
      if (!run.isWaiting || this.#foundNoRoom.get(run) === held) continue;
      run.reconsider();
      if (run.isWaiting) this.#foundNoRoom.set(run, held);
      else held = this.#lookAtPlaced();
    }
    this.#placed = undefined;
  }

  #lookAtPlaced(): string {
    this.#placed = undefined;
    this.#placed = this.#placedBeside(undefined);
    return resourcesKey(this.#placed);
  }

  #placedBeside(run: PodRun | undefined): readonly StoredPod[] {
    if (this.#placed !== undefined) return this.#placed;
    const others = [...this.#live].filter((other) => other !== run).map((other) => other.pod);
    return others.filter(({ spec, status }) => spec.nodeName !== undefined && !isTerminalPhase(status.phase));
  }
}
