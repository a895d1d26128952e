import { caught, defectText, inBackground, tellDefect } from '../defects.ts';
import {
  hasFinalizers,
  isKeptByFinalizers,
  isMirrorPod,
  isTerminalPhase,
  type PodStatus,
  resolvedUid,
  type StoredPod,
} from '../api/index.ts';

import {
  boundTo,
  brokenPodStatus,
  endedUnscheduled,
  type EventDraft,
  isSameForClients,
  mergeStatus,
  type Placement,
  type PodActivity,
  type Restoration,
  sandboxChanged,
  type SchedulingEvent,
  type VolumeChoice,
  withoutGrace,
} from '../lifecycle/index.ts';

import type { ObjectPart, Subscription } from '../store/index.ts';
import { asRun, type ObjectState, ofPod, PodWrites, withUid } from './pod-writes.ts';
import { bindVolumes, EventRecorder, isDeletionRecorded, isRenewed, isStored } from '../apiserver/index.ts';
import { ContainerEffects } from './container-effects.ts';
import type { RunOfPod } from './pod-run-agent.ts';
import { isUnplaced, PodScheduling, type ScheduledPod } from './pod-scheduling.ts';
import { BY_FORCE, type HowToEnd, type PodReport, PodWorker } from './pod-worker.ts';

/** The time in which the store's watch reports whether a missing object was deleted by force. */
const WATCH_MS = 1000;

/** Placed: its node runs or rejects it. Ending: its last write is awaited. */
type State = 'waiting' | 'placed' | 'ending' | 'over';

/** One Pod from its creation to its end: scheduled, run by a PodWorker, recorded, and removed after its deletion. */
export class PodRun implements PodReport, ScheduledPod {
  readonly #options: RunOfPod<PodRun>;
  readonly #writes: PodWrites;
  readonly #recorder: EventRecorder;
  readonly scheduling: PodScheduling;
  /** Reports the changes of other writers. The store gets it with each write: it names the writer. */
  readonly #subscription: Subscription;
  /** The newest known state of the object, as the node knows it: see `asRun`. */
  #pod: StoredPod;
  #worker: PodWorker | undefined;
  #state: State = 'waiting';
  #object: ObjectState = 'present';
  /** True when the store has reported the removal of the object. Another process may have removed it shortly before. */
  #isRemovalReported = false;
  /** True when the run is to end: no client may be left who would remove the finalizers of the object. */
  #isToEnd = false;
  /** The object in the API, which the kubelet of its node does not reach: it writes nothing. Undefined: it does. */
  #unheard: StoredPod | undefined;
  #hasEndedUnheard = false;
  #crashed: Promise<unknown> | undefined;
  /** The request to end a Pod whose worker is being made: its first writes may bring the news. */
  #endOfNew: HowToEnd | undefined;
  /** True when the object was removed before the watch began. */
  readonly #isTooLate: boolean;

  constructor(options: RunOfPod<PodRun>) {
    const { pod, store, agent } = options;
    this.#options = options;
    this.#pod = asRun(pod, pod.spec);
    this.#writes = new PodWrites(options);
    this.#recorder = new EventRecorder({ ...options, nodeName: agent.nodeOf(pod).name });
    this.scheduling = new PodScheduling({
      clock: options.clock,
      facts: () => agent.schedulerFacts(this),
      preempt: agent.preempt.bind(agent),
      pod: this,
    });
    const { namespace, name, uid } = this.#pod.metadata;
    this.#subscription = store.watch<StoredPod>('pods', { namespace, name }, ({ type, object: stored }) => {
      if (resolvedUid(stored) !== uid || (type === 'DELETED' && isRenewed(store, stored))) return;
      this.#orBreak(() => this.#heard(type === 'DELETED', asRun(stored, this.#pod.spec)));
    });
    // A client may have changed the Pod since it was stored.
    const present = store.get<StoredPod>('pods', namespace, name);
    const isPresent = present !== undefined && resolvedUid(present) === uid;
    // A mirror Pod may be missing for a moment.
    this.#isTooLate = !isPresent && !isMirrorPod(pod);
    if (isPresent) this.#takeNewer(asRun(present, pod.spec));
  }

  get pod(): StoredPod {
    return this.#unheard ?? this.#known;
  }

  get #known(): StoredPod {
    return this.#worker?.pod ?? this.#pod;
  }

  get worker(): Pick<PodWorker, 'evict' | 'restart'> | undefined {
    return this.#worker;
  }

  /** Settles when all of a Pod is gone that was killed with its node. Undefined: it was not. */
  get crashed(): Promise<unknown> | undefined {
    return this.#crashed;
  }

  get state(): State {
    return this.#state;
  }

  /** True when the object was removed. Further writes are dropped. */
  get isRemoved(): boolean {
    return ['missing', 'overtaken', 'gone'].includes(this.#object);
  }

  /** The next step for the Pod. Undefined: nothing is planned. */
  get activity(): PodActivity | undefined {
    return this.#state === 'over' ? undefined : this.#worker?.activity;
  }

  /**
   * Schedules the Pod, and runs it when the node takes it. Called again after a change of the node. A kubelet that
   * comes back hears first what has happened to the Pod meanwhile: see `reconnect`.
   */
  begin(): void {
    if (this.#state === 'waiting' && this.#unheard === undefined) this.#orBreak(() => this.#begin());
  }

  #begin(): void {
    const { agent, restoration } = this.#options;
    if (restoration !== undefined) this.#run(restoration);
    if (this.#isTooLate) return this.#gone(true);
    if (restoration !== undefined) return;
    if (isTerminalPhase(this.#pod.status.phase)) return this.#end();
    const { metadata, spec } = this.#pod;
    const isUnreached = Boolean(spec.nodeName) && agent.nodeOf(this.#pod).isUnmanned === true;
    // A Pod that never ran is removed at once, without a terminal phase, unless its kubelet does not answer.
    if (metadata.deletionTimestamp !== undefined && !isUnreached) return this.#remove();
    const placement = agent.alone(() => this.scheduling.attempt());
    if (this.#pod.spec.nodeName) agent.placed(this);
    if (placement.type === 'waits') return this.scheduling.leavePending(placement);
    this.#state = 'placed';
    if (placement.type !== 'rejected') return this.#run();
    this.events(this.#pod, [placement.event]);
    this.#end(placement.status);
  }

  /** The kubelet of its node loses the API. With `isCrash`, everything that runs is killed as well. */
  cutOff(isCrash: boolean): void {
    this.#unheard = this.pod;
    this.#writes.cancelRetry();
    this.#recorder.hold();
    if (!isCrash || this.#worker === undefined) return;
    const { pod } = this.#worker;
    this.#crashed = this.#worker.crash();
    inBackground(this.#crashed);
    this.#pod = pod;
    this.#worker = undefined;
  }

  /** The kubelet of its node reaches the API again: it hears what has happened, and tells what has. */
  reconnect(): void {
    if (this.#unheard === undefined) return;
    this.#unheard = undefined;
    this.#attempt(() => this.#recorder.send());
    const { namespace, name, uid } = this.#pod.metadata;
    const stored = this.#options.store.get<StoredPod>('pods', namespace, name);
    if (stored === undefined || resolvedUid(stored) !== uid) return this.#gone(true);
    const { status } = this.pod;
    this.#heard(false, asRun(stored, this.#pod.spec));
    if (!this.#hasEndedUnheard) return;
    this.#pod = this.saveStatus(status);
    this.finished();
  }

  /** Ends the run, also while only finalizers keep the object. The record stays. */
  terminate(how: HowToEnd): void {
    if (this.#state === 'over') return;
    this.reconnect();
    if (this.#crashed !== undefined) return this.#end();
    this.#isToEnd = true;
    this.#orBreak(() => {
      if (this.#object === 'held') this.#end();
      else if (!this.#endPlaced(how)) this.#end(endedUnscheduled(this.#pod.status));
    });
  }

  /** Ends the Pod when its object is gone, also where no watch has reported it, as a kubelet's housekeeping does. */
  lookForObject(): void {
    if (this.#object !== 'present' || this.#state === 'over' || isMirrorPod(this.#pod)) return;
    if (!isStored(this.#options.store, this.#pod)) this.#missing();
  }

  tellDecision(event: SchedulingEvent): void {
    this.#attempt(() => this.#recorder.recordScheduling(this.#pod, event));
  }

  close(): void {
    this.#subscription.close();
  }

  /** Remembers a state of the object. Returns false when a later one is known. */
  #takeNewer(pod: StoredPod): boolean {
    if (Number(pod.metadata.resourceVersion) < Number(this.#pod.metadata.resourceVersion)) return false;
    this.#pod = pod;
    return true;
  }

  #heard(isRemoved: boolean, object: StoredPod): void {
    if (this.#unheard !== undefined) this.#unheard = object;
    if (this.#unheard !== undefined) return isRemoved && this.#worker === undefined ? this.#gone(true) : undefined;
    if (!isRemoved) return this.#takeNewer(object) ? this.#changed(object) : undefined;
    this.#isRemovalReported = true;
    // deletePod sets a grace period of 0 in the last state of an object that it deletes.
    this.#gone(object.metadata.deletionGracePeriodSeconds === 0);
  }

  /** Runs a step that the Pod waits for. A defect in it ends the Pod. */
  #orBreak(run: () => void): void {
    try {
      run();
    } catch (error) {
      if (this.#worker !== undefined) return this.#worker.failed(error);
      tellDefect(error);
      this.broken(error);
    }
  }

  broken(defect: unknown): void {
    const pod = { ...this.#pod, status: this.pod.status };
    this.#worker = undefined;
    this.#state = 'placed';
    try {
      this.#pod = this.saveStatus(brokenPodStatus(pod, defectText(defect), this.#options.clock.now()));
      this.finished();
    } catch (error) {
      // Its end cannot be recorded, either.
      tellDefect(error);
      this.#over();
    }
  }

  /** Handles a change by another writer. */
  #changed(pod: StoredPod): void {
    const { agent } = this.#options;
    if (this.#object !== 'present' || this.#state === 'over') return;
    if (this.#worker === undefined) return isUnplaced(this.#pod) ? agent.changed(this) : this.begin();
    this.#worker.objectChanged(pod);
    // Finalizers keep the object of a Pod that was deleted by force.
    if (isKeptByFinalizers(pod)) this.#worker.terminate(BY_FORCE);
    this.events(pod, this.#recorder.unrecorded(agent.notices(pod)));
    agent.changed(this);
  }

  /** Ends the Pod after its object was removed: by force, or with its files, perhaps with the whole state folder. */
  #gone(isForced: boolean): void {
    const before = this.#object;
    this.#object = 'gone';
    this.#writes.cancelRetry();
    this.#recorder.stopStoring();
    if (before === 'removing' || before === 'held' || before === 'overtaken') return this.#end();
    if (this.#state === 'over') return this.#tellRemoved();
    if (before === 'gone') return;
    // The last state of many Pods that are deleted by force at once may not be read in time. Their Events are left.
    const isDeleted = isForced || isDeletionRecorded(this.#options.store, this.pod);
    if (!isDeleted) this.#options.onRecordLost(this.pod);
    if (!this.#endPlaced(isDeleted ? BY_FORCE : { force: false })) this.#end();
  }

  /** Ends the containers of a Pod that this node has taken. Returns false for any other Pod, and where none is left. */
  #endPlaced(how: HowToEnd): boolean {
    if (this.#crashed !== undefined || this.#hasEndedUnheard) return false;
    if (this.#worker === undefined) this.#endOfNew = how;
    else this.#worker.terminate(how);
    return this.#state === 'placed';
  }

  #run(restoration?: Restoration): void {
    this.#state = 'placed';
    const { agent, clock, runtime, machine, former } = this.#options;
    const notices = this.#recorder.unrecorded(agent.notices(this.#pod));
    if (restoration === undefined) this.events(this.#pod, notices);
    if (restoration?.isSandboxNew === true) this.events(this.#pod, [sandboxChanged()]);
    // The Pod may have been removed since it was placed. Nothing of a new one runs.
    if (restoration === undefined && (this.isRemoved || this.#endOfNew !== undefined))
      return this.#end(endedUnscheduled(this.#pod.status));
    this.#worker = new PodWorker({
      pod: this.#pod,
      clock,
      config: (pod) => agent.config(pod),
      hostIP: agent.nodeOf(this.#pod).hostIPs[0],
      restoration,
      report: this,
      effects: (report) => new ContainerEffects({ clock, runtime, machine, report, former }),
    });
    this.#worker.start();
    if (this.#endOfNew !== undefined) this.#worker.terminate(this.#endOfNew);
  }

  tellWait({ status, event, notices }: Extract<Placement, { type: 'waits' }>): void {
    if (status !== undefined) this.#pod = this.saveStatus(status);
    // A client may have changed the Pod just before: it waits no more.
    if (this.#state !== 'waiting') return;
    if (event !== undefined) this.tellDecision(event);
    this.events(this.#pod, this.#recorder.unrecorded(notices));
  }

  bind(nodeName: string, volumes: readonly VolumeChoice[]): void {
    const { store, clock } = this.#options;
    if (volumes.length > 0) this.#attempt(() => bindVolumes(store, nodeName, volumes));
    const { metadata } = this.#pod;
    const bound = (pod: StoredPod): StoredPod => boundTo(withUid(pod, metadata.uid), nodeName, clock.now());
    this.#takeNewer(this.#attempt(() => store.bind(metadata, bound, this.#subscription)) ?? bound(this.#pod));
  }

  finished(): void {
    if (this.#unheard !== undefined) this.#hasEndedUnheard = true;
    else if (!this.isRemoved && this.pod.metadata.deletionTimestamp !== undefined) this.#remove();
    else this.#end();
  }

  /** Removes the object, as the API server does for the kubelet. Finalizers keep it: it goes with the last of them. */
  #remove(): void {
    const { store, clock } = this.#options;
    const { name, namespace } = this.#pod.metadata;
    this.#object = 'removing';
    const pod = this.#change('object', (stored) => withoutGrace(stored, clock.now().wallMs), true) ?? this.#pod;
    // Another process has removed it meanwhile: the watch has reported that, or will. Its report ends the run.
    if (this.isRemoved) return;
    if (hasFinalizers(pod) && isStored(store, pod)) {
      this.#object = 'held';
      // A Pod without a recorded end would count as lost after the end of this agent.
      if (!isTerminalPhase(this.pod.status.phase)) this.#pod = this.saveStatus(endedUnscheduled(pod.status));
      if (this.#isToEnd) this.#end();
      return;
    }
    const removed = this.#attempt(() => store.delete('pods', namespace, name, this.#subscription), true);
    if (this.isRemoved) return;
    this.#isRemovalReported ||= removed !== undefined;
    this.#gone(true);
  }

  /** Reports that this run may be forgotten, after the removal of the Pod was reported to all other subscribers. */
  #tellRemoved(): void {
    if (this.#isRemovalReported) queueMicrotask(caught(() => this.#options.agent.removed(this)));
  }

  /** Ends the run when its status is written. A Pod that never ran has its last status from here. */
  #end(last?: PodStatus): void {
    if (this.#state === 'ending' || this.#state === 'over') return;
    this.#state = 'ending';
    if (last !== undefined) this.#pod = this.saveStatus(last);
    this.#writes.whenDone(() => this.#over());
  }

  #over(): void {
    if (this.#state === 'over') return;
    this.#state = 'over';
    this.#options.agent.over(this);
    this.#tellRemoved();
  }

  /** Stores the status of the Pod, and keeps the parts that other writers own. */
  saveStatus(status: PodStatus): StoredPod {
    if (this.#unheard !== undefined) return { ...this.#known, status };
    this.#writes.cancelRetry();
    const merge = (stored: StoredPod): StoredPod => ({ ...stored, status: mergeStatus(stored.status, status) });
    const written = this.#change('status', merge, isTerminalPhase(status.phase));
    if (written === undefined) {
      if (!this.isRemoved) this.#writes.retryLater(() => this.saveStatus(status));
      return { ...this.pod, status };
    }
    const known = this.#pod;
    const saved = asRun(written, known.spec);
    // Only the answer has the changes of clients just before.
    if (this.#takeNewer(saved) && !isSameForClients(saved, known)) this.#changed(saved);
    return this.#pod;
  }

  saved(): void {
    this.#options.agent.recorded(this);
  }

  /** Changes the stored object of this Pod, but not of a later Pod with the same name. See `#attempt`. */
  #change(part: ObjectPart, change: (stored: StoredPod) => StoredPod, isLast: boolean): StoredPod | undefined {
    const [{ store }, { metadata }] = [this.#options, this.#pod];
    const ofThis = ofPod(metadata.uid, change);
    return this.#attempt(() => store.change('pods', metadata, part, ofThis, this.#subscription), isLast);
  }

  /** Records events of the kubelet or of podrun. Events of a Pod whose object is gone are not stored. */
  events(pod: StoredPod, drafts: readonly EventDraft[]): void {
    const record = (): void => this.#recorder.record(pod, drafts);
    if (drafts.length === 0) return;
    if (this.isRemoved || this.#unheard !== undefined) record();
    else this.#attempt(record);
  }

  /** Runs a write. Returns undefined when it fails. `isLast`: see PodWrites. */
  #attempt<T>(write: () => T, isLast = false): T | undefined {
    if (this.isRemoved) return undefined;
    const outcome = this.#writes.attempt(this.#pod, write, isLast);
    if (outcome === 'missing') this.#missing();
    return typeof outcome === 'object' ? outcome.written : undefined;
  }

  #missing(): void {
    if (this.#object === 'held') return this.#gone(false);
    this.#object = this.#object === 'removing' ? 'overtaken' : 'missing';
    this.#recorder.stopStoring();
    const { clock } = this.#options;
    clock.wakeAt(clock.now().monotonicMs + WATCH_MS, () => this.#gone(false));
  }
}
