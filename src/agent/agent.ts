import {
  DEFAULT_NAMESPACE,
  isTerminalPhase,
  type StoredEvent,
  type StoredPod,
  type WatchEvent,
} from '../api/objects.ts';
import type { BackOffLimits } from '../lifecycle/plan/back-off.ts';
import type { SyncConfig } from '../lifecycle/plan/draft.ts';
import type { PodActivity } from '../lifecycle/activity.ts';
import type { EventDraft } from '../lifecycle/effects.ts';
import { apiServerNotices } from '../lifecycle/environment/api-server-variables.ts';
import { resourcesKey } from '../lifecycle/node/resources-key.ts';
import { type FoundInstance, type Restoration, restoredFacts } from '../lifecycle/restored-facts.ts';
import type { Subscription } from '../store/store.ts';
import { type MachineOptions, MachineSurroundings } from './machine-surroundings.ts';
import { PodRun, type PodRunAgent } from './pod-run.ts';
import { judgeImages } from './judge-images.ts';
import { securityNotices } from './security.ts';

/** The settings of an agent, and the callbacks that report on its Pods. */
export interface AgentOptions extends Omit<MachineOptions, 'isRemoved'> {
  readonly crashLoop: BackOffLimits;
  /** Events about fields of the Pod's spec that have no effect here: one for each. */
  readonly notices: (pod: StoredPod) => readonly EventDraft[];
  /** Called when a Pod has ended, or was removed. */
  readonly onOver: (pod: StoredPod) => void;
  /** Called when another process removed the Pod's record from the store. The agent ends the Pod. */
  readonly onRecordLost: (pod: StoredPod) => void;
  /** Called for each event of the Pods. */
  readonly onEvent: (event: WatchEvent<StoredEvent>) => void;
  /** Called by `close`. */
  readonly onClose?: () => void;
}

/** podrun's kubelet: runs each Pod in a PodRun of its own. */
export class Agent implements PodRunAgent {
  readonly #options: AgentOptions;
  readonly #machine: MachineSurroundings;
  /** By uid of the Pod. */
  readonly #runs = new Map<string, PodRun>();
  /** The runs that are not over. */
  readonly #live = new Set<PodRun>();
  /** The resources that other Pods held when the run last did not fit. */
  readonly #unschedulableRuns = new Map<PodRun, string>();
  /** The Pods on the node, kept while #reconsider goes through the runs. */
  #placed: readonly StoredPod[] | undefined;
  readonly #subscriptions: Subscription[] = [];

  constructor(options: AgentOptions) {
    this.#options = options;
    this.#machine = new MachineSurroundings({
      ...options,
      isRemoved: ({ metadata }) => this.#runs.get(metadata.uid)?.isRemoved === true,
    });
  }

  /** Begins to run a stored Pod that no other agent runs. */
  run(pod: StoredPod): void {
    this.#run(pod, undefined);
  }

  /**
   * Resumes a Pod whose former agent has ended.
   * @param found the containers that the runtime has
   */
  resume(pod: StoredPod, found: readonly FoundInstance[]): void {
    const isPlaced = pod.spec.nodeName !== undefined;
    this.#run(pod, isPlaced ? restoredFacts(pod, found, this.#options.clock.now()) : undefined);
  }

  #run(pod: StoredPod, restoration: Restoration | undefined): void {
    const { store } = this.#options;
    const { namespace, uid } = pod.metadata;
    const surroundings = this.#machine.surroundings();
    const run = new PodRun({ ...this.#options, pod, restoration, agent: this, surroundings });
    this.#runs.set(uid, run);
    this.#live.add(run);
    if ((pod.spec.volumes ?? []).some(({ persistentVolumeClaim: claim }) => claim !== undefined)) {
      this.#subscriptions.push(store.watch('persistentvolumeclaims', { namespace }, () => run.begin()));
    }
    run.begin();
  }

  config(pod: StoredPod): SyncConfig {
    const { crashLoop, images } = this.#options;
    return { crashLoop, images: judgeImages(pod, images) };
  }

  notices(pod: StoredPod): readonly EventDraft[] {
    // A Service of this name means that the user has an API server.
    const hasServer = this.#options.store.get('services', DEFAULT_NAMESPACE, 'kubernetes') !== undefined;
    const own = [...this.#options.notices(pod), ...securityNotices(pod, this.#options)];
    return hasServer ? own : [...own, ...apiServerNotices(pod)];
  }

  changed(pod: StoredPod): void {
    this.#machine.podChanged(pod);
  }

  over(run: PodRun): void {
    this.#live.delete(run);
    this.#unschedulableRuns.delete(run);
    this.#reconsider();
    this.#options.onOver(run.pod);
  }

  /**
   * Ends all Pods; their records stay. With `force`, kills everything now. `graceSeconds` replaces the Pods' own grace
   * periods.
   */
  terminate(how: { readonly force: boolean; readonly graceSeconds?: number }): void {
    for (const run of this.#live) run.terminate(how);
  }

  /** True when every Pod of this agent has ended. */
  get isOver(): boolean {
    return this.#live.size === 0;
  }

  /** The Pods as last seen, in the order in which the agent received them. */
  get pods(): readonly StoredPod[] {
    return [...this.#runs.values()].map((run) => run.pod);
  }

  /** The next step for the Pod with this uid. Undefined: nothing is planned. */
  activityOf(uid: string): PodActivity | undefined {
    return this.#runs.get(uid)?.activity;
  }

  close(): void {
    for (const open of [...this.#runs.values(), ...this.#subscriptions]) open.close();
    this.#options.onClose?.();
  }

  /**
   * Offers the resources of an ended Pod to the waiting ones. Skips those that did not fit beside the same resources:
   * thousands may wait.
   */
  #reconsider(): void {
    let held = this.#placedKey();
    for (const run of this.#live) {
      if (run.state !== 'waiting' || this.#unschedulableRuns.get(run) === held) continue;
      run.begin();
      if (run.state === 'waiting') this.#unschedulableRuns.set(run, held);
      else held = this.#placedKey();
    }
    this.#placed = undefined;
  }

  #placedKey(): string {
    this.#placed = undefined;
    this.#placed = this.placedBeside(undefined);
    return resourcesKey(this.#placed);
  }

  placedBeside(run: PodRun | undefined): readonly StoredPod[] {
    if (this.#placed !== undefined) return this.#placed;
    const others = [...this.#live].filter((other) => other !== run).map((other) => other.pod);
    return others.filter(({ spec, status }) => spec.nodeName !== undefined && !isTerminalPhase(status.phase));
  }
}
