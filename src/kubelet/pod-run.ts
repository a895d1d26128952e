import { caught, defectText, inBackground, tellDefect } from '../defects.ts';
import { isKeptByFinalizers, isTerminalPhase, type PodStatus, type StoredPod } from '../api/index.ts';
import {
  brokenPodStatus,
  endedUnscheduled,
  type EventDraft,
  isSameForClients,
  type Placement,
  type PodActivity,
  type Restoration,
  sandboxChanged,
  type SchedulingEvent,
  type VolumeChoice,
} from '../lifecycle/index.ts';
import { EventRecorder, isDeletionRecorded } from '../apiserver/index.ts';
import { ContainerEffects } from './container-effects.ts';
import { PodObject } from './pod-object.ts';
import type { RunOfPod } from './pod-run-agent.ts';
import { isUnplaced, PodScheduling, type ScheduledPod } from './pod-scheduling.ts';
import { BY_FORCE, type HowToEnd, type PodReport, PodWorker } from './pod-worker.ts';

/** Placed: its node runs or rejects it. Ending: its last write is awaited. */
type State = 'waiting' | 'placed' | 'ending' | 'over';

/** One Pod from its creation to its end: scheduled, run by a PodWorker, recorded, and removed after its deletion. */
export class PodRun implements PodReport, ScheduledPod {
  readonly #options: RunOfPod<PodRun>;
  readonly #object: PodObject;
  readonly #recorder: EventRecorder;
  readonly scheduling: PodScheduling;
  #worker: PodWorker | undefined;
  #state: State = 'waiting';
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
    const { pod, agent } = options;
    this.#options = options;
    this.#recorder = new EventRecorder({ ...options, nodeName: agent.nodeOf(pod).name });
    this.scheduling = new PodScheduling({
      clock: options.clock,
      facts: () => agent.schedulerFacts(this),
      preempt: agent.preempt.bind(agent),
      pod: this,
    });
    this.#object = new PodObject({
      ...options,
      recorder: this.#recorder,
      onChange: (isRemoved, object) => this.#orBreak(() => this.#heard(isRemoved, object)),
      onMissing: () => this.#gone(false),
    });
    this.#isTooLate = !this.#object.follow();
  }

  get pod(): StoredPod {
    return this.#unheard ?? this.#known;
  }

  get #known(): StoredPod {
    return this.#worker?.pod ?? this.#object.pod;
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
    return this.#object.isRemoved;
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
    if (isTerminalPhase(this.#object.pod.status.phase)) return this.#end();
    const { metadata, spec } = this.#object.pod;
    const isUnreached = Boolean(spec.nodeName) && agent.nodeOf(this.#object.pod).isUnmanned === true;
    // A Pod that never ran is removed at once, without a terminal phase, unless its kubelet does not answer.
    if (metadata.deletionTimestamp !== undefined && !isUnreached) return this.#remove();
    const placement = agent.alone(() => this.scheduling.attempt());
    if (this.#object.pod.spec.nodeName) agent.placed(this);
    if (placement.type === 'waits') return this.scheduling.leavePending(placement);
    this.#state = 'placed';
    if (placement.type !== 'rejected') return this.#run();
    this.events(this.#object.pod, [placement.event]);
    this.#end(placement.status);
  }

  /** The kubelet of its node loses the API. With `isCrash`, everything that runs is killed as well. */
  cutOff(isCrash: boolean): void {
    this.#unheard = this.pod;
    this.#object.cancelRetry();
    this.#recorder.hold();
    if (!isCrash || this.#worker === undefined) return;
    const { pod } = this.#worker;
    this.#crashed = this.#worker.crash();
    inBackground(this.#crashed);
    this.#object.pod = pod;
    this.#worker = undefined;
  }

  /** The kubelet of its node reaches the API again: it hears what has happened, and tells what has. */
  reconnect(): void {
    if (this.#unheard === undefined) return;
    this.#unheard = undefined;
    this.#object.attempt(() => this.#recorder.send());
    const stored = this.#object.read();
    if (stored === undefined) return this.#gone(true);
    const { status } = this.pod;
    this.#heard(false, stored);
    if (!this.#hasEndedUnheard) return;
    this.#object.pod = this.saveStatus(status);
    this.finished();
  }

  /** Ends the run, also while only finalizers keep the object. The record stays. */
  terminate(how: HowToEnd): void {
    if (this.#state === 'over') return;
    this.reconnect();
    if (this.#crashed !== undefined) return this.#end();
    this.#isToEnd = true;
    this.#orBreak(() => {
      if (this.#object.state === 'held') this.#end();
      else if (!this.#endPlaced(how)) this.#end(endedUnscheduled(this.#object.pod.status));
    });
  }

  /** Ends the Pod when its object is gone, also where no watch has reported it, as a kubelet's housekeeping does. */
  lookForObject(): void {
    if (this.#state !== 'over') this.#object.look();
  }

  tellDecision(event: SchedulingEvent): void {
    this.#object.attempt(() => this.#recorder.recordScheduling(this.#object.pod, event));
  }

  close(): void {
    this.#object.close();
  }

  #heard(isRemoved: boolean, object: StoredPod): void {
    if (isRemoved) this.#object.isRemovalReported = true;
    if (this.#unheard !== undefined) this.#unheard = object;
    if (this.#unheard !== undefined) return isRemoved && this.#worker === undefined ? this.#gone(true) : undefined;
    if (!isRemoved) return this.#object.take(object) ? this.#changed(object) : undefined;
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
    const pod = { ...this.#object.pod, status: this.pod.status };
    this.#worker = undefined;
    this.#state = 'placed';
    try {
      this.#object.pod = this.saveStatus(brokenPodStatus(pod, defectText(defect), this.#options.clock.now()));
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
    if (this.#object.state !== 'present' || this.#state === 'over') return;
    if (this.#worker === undefined) return isUnplaced(this.#object.pod) ? agent.changed(this) : this.begin();
    this.#worker.objectChanged(pod);
    // Finalizers keep the object of a Pod that was deleted by force.
    if (isKeptByFinalizers(pod)) this.#worker.terminate(BY_FORCE);
    this.events(pod, this.#recorder.unrecorded(agent.notices(pod)));
    agent.changed(this);
  }

  /** Ends the Pod after its object was removed: by force, or with its files, perhaps with the whole state folder. */
  #gone(isForced: boolean): void {
    const before = this.#object.gone();
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
    const notices = this.#recorder.unrecorded(agent.notices(this.#object.pod));
    if (restoration === undefined) this.events(this.#object.pod, notices);
    if (restoration?.isSandboxNew === true) this.events(this.#object.pod, [sandboxChanged()]);
    // The Pod may have been removed since it was placed. Nothing of a new one runs.
    if (restoration === undefined && (this.isRemoved || this.#endOfNew !== undefined))
      return this.#end(endedUnscheduled(this.#object.pod.status));
    this.#worker = new PodWorker({
      pod: this.#object.pod,
      clock,
      config: (pod) => agent.config(pod),
      hostIP: agent.nodeOf(this.#object.pod).hostIPs[0],
      restoration,
      report: this,
      effects: (report) => new ContainerEffects({ clock, runtime, machine, report, former }),
    });
    this.#worker.start();
    if (this.#endOfNew !== undefined) this.#worker.terminate(this.#endOfNew);
  }

  tellWait({ status, event, notices }: Extract<Placement, { type: 'waits' }>): void {
    if (status !== undefined) this.#object.pod = this.saveStatus(status);
    // A client may have changed the Pod just before: it waits no more.
    if (this.#state !== 'waiting') return;
    if (event !== undefined) this.tellDecision(event);
    this.events(this.#object.pod, this.#recorder.unrecorded(notices));
  }

  bind(nodeName: string, volumes: readonly VolumeChoice[]): void {
    this.#object.bind(nodeName, volumes);
  }

  finished(): void {
    if (this.#unheard !== undefined) this.#hasEndedUnheard = true;
    else if (!this.isRemoved && this.pod.metadata.deletionTimestamp !== undefined) this.#remove();
    else this.#end();
  }

  /** Removes the object of a Pod that has ended. Where finalizers keep it, the run lasts until it goes. */
  #remove(): void {
    const removal = this.#object.remove();
    if (removal === 'removed') return this.#gone(true);
    if (removal === undefined) return;
    // A Pod without a recorded end would count as lost after the end of this agent.
    if (!isTerminalPhase(this.pod.status.phase))
      this.#object.pod = this.saveStatus(endedUnscheduled(removal.held.status));
    if (this.#isToEnd) this.#end();
  }

  /** Reports that this run may be forgotten, after the removal of the Pod was reported to all other subscribers. */
  #tellRemoved(): void {
    if (this.#object.isRemovalReported) queueMicrotask(caught(() => this.#options.agent.removed(this)));
  }

  /** Ends the run when its status is written. A Pod that never ran has its last status from here. */
  #end(last?: PodStatus): void {
    if (this.#state === 'ending' || this.#state === 'over') return;
    this.#state = 'ending';
    if (last !== undefined) this.#object.pod = this.saveStatus(last);
    this.#object.whenWritten(() => this.#over());
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
    const written = this.#object.writeStatus(status);
    if (written === undefined) {
      if (!this.isRemoved) this.#object.retryLater(() => this.saveStatus(status));
      return { ...this.pod, status };
    }
    const known = this.#object.pod;
    // Only the answer has the changes of clients just before.
    if (this.#object.take(written) && !isSameForClients(written, known)) this.#changed(written);
    return this.#object.pod;
  }

  saved(): void {
    this.#options.agent.recorded(this);
  }

  /** Records events of the kubelet or of podrun. Events of a Pod whose object is gone are not stored. */
  events(pod: StoredPod, drafts: readonly EventDraft[]): void {
    const record = (): void => this.#recorder.record(pod, drafts);
    if (drafts.length === 0) return;
    if (this.isRemoved || this.#unheard !== undefined) record();
    else this.#object.attempt(record);
  }
}
