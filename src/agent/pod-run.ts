import { isSameJson } from '../api/json.ts';
import type { PodrunError } from '../api/errors.ts';
import { isKeptByFinalizers } from '../api/finalizers.ts';
import type { PodStatus } from '../api/generated/types.ts';
import { isTerminalPhase, type StoredEvent, type StoredPod, type WatchEvent } from '../api/objects.ts';
import { formatTime } from '../api/time.ts';
import type { Clock } from '../clock.ts';
import type { SyncConfig } from '../lifecycle/plan/draft.ts';
import type { PodActivity } from '../lifecycle/activity.ts';
import type { EventDraft } from '../lifecycle/effects.ts';
import { CONDITION } from '../lifecycle/texts/condition-reasons.ts';
import {
  failedScheduling,
  nodeLabelsMissing,
  notThisNode,
  podRejected,
  sandboxChanged,
  scheduled,
} from '../lifecycle/texts/events.ts';
import type { Restoration } from '../lifecycle/restored-facts.ts';
import { admit } from '../lifecycle/node/kubelet-admission.ts';
import { ENDED_UNSCHEDULED, type Rejection, rejectionMessage } from '../lifecycle/texts/pod-reasons.ts';
import { missingLabels } from '../lifecycle/node/node-affinity.ts';
import type { NodeFacts } from '../lifecycle/node/node-facts.ts';
import { mergeStatus } from '../lifecycle/status/merge-status.ts';
import { withScheduled } from '../lifecycle/node/pod-scheduled.ts';
import { schedule, type Schedule } from '../lifecycle/node/schedule.ts';
import type { Runtime } from '../runtime/runtime.ts';
import type { Store } from '../store/store.ts';
import { ContainerEffects } from './container-effects.ts';
import type { PodSurroundings } from './pod-surroundings.ts';
import { PodRecord } from './pod-record.ts';
import { PodWorker } from './pod-worker.ts';

export interface PodRunOptions {
  readonly pod: StoredPod;
  /** The facts of a former agent's Pod. Undefined: the Pod is new. */
  readonly restoration?: Restoration | undefined;
  /** Events about fields of the spec that have no effect here. Called again after a change of the spec. */
  readonly notices: (pod: StoredPod) => readonly EventDraft[];
  readonly store: Store;
  readonly clock: Clock;
  readonly runtime: Runtime;
  readonly node: NodeFacts;
  readonly config: (pod: StoredPod) => SyncConfig;
  readonly surroundings: Omit<PodSurroundings, 'event'>;
  /** The Pods that share the node with this one. */
  readonly placed: () => readonly StoredPod[];
  /** True when the Pod's namespace has a PersistentVolumeClaim of this name. */
  readonly hasClaim: (pod: StoredPod, name: string) => boolean;
  /** Called when the Pod has ended or is gone. */
  readonly onOver: (pod: StoredPod) => void;
  readonly onEvent: (event: WatchEvent<StoredEvent>) => void;
  /** Called when another process removed the record. The Pod is ended. */
  readonly onRecordLost: (pod: StoredPod) => void;
  /** Called when a record could not be written. */
  readonly onTrouble: (error: PodrunError) => void;
}

/** The end of a Pod whose object was removed by force: see `objectGone`. */
const BY_FORCE = { force: false, graceSeconds: 1, breaksOffHook: true } as const;

/**
 * The object of the Pod: stored (present), removed by somebody else (gone), being removed by this agent, deleted except
 * for its finalizers while nothing runs (held), or of no concern to this agent any more (over).
 */
type State = 'present' | 'gone' | 'removing' | 'held' | 'over';

/** One Pod from its creation to its end: scheduled, run by a PodWorker, and removed after its deletion. */
export class PodRun {
  readonly #options: PodRunOptions;
  readonly #record: PodRecord;
  #pod: StoredPod;
  #worker: PodWorker | undefined;
  #state: State = 'present';
  /** The notices that were recorded. */
  readonly #recordedNotices = new Set<string>();

  constructor(options: PodRunOptions) {
    this.#options = options;
    this.#pod = options.pod;
    const { pod, node } = options;
    const onGone = (): void => this.objectGone(pod.metadata.uid, false);
    this.#record = new PodRecord({ ...options, nodeName: node.name, onGone });
  }

  get pod(): StoredPod {
    return this.#worker?.pod ?? this.#pod;
  }

  /** The next step for the Pod. Undefined: nothing is planned. */
  get activity(): PodActivity | undefined {
    return this.isOver ? undefined : this.#worker?.activity;
  }

  get isOver(): boolean {
    return this.#state === 'over';
  }

  /** True while no node has taken the Pod. */
  get isWaiting(): boolean {
    return !this.isOver && this.#worker === undefined;
  }

  /** Schedules the Pod, and runs it when the node takes it. */
  begin(): void {
    const { node, hasClaim, restoration } = this.#options;
    if (restoration !== undefined) return this.#run(restoration);
    const placed = this.#options.placed();
    const verdict = schedule(this.#pod, { node, placed, hasClaim: (name) => hasClaim(this.#pod, name) });
    if (verdict.type === 'waits') return this.#leavePending(verdict);
    if (verdict.type === 'elsewhere') return this.#recordOnce(this.#pod, notThisNode(verdict.nodeName, node.name));
    if (verdict.type === 'fits') {
      this.#pod = this.#record.bind(this.#pod, verdict.nodeName);
      this.#record.schedulingEvent(this.#pod, scheduled(this.#pod.metadata, verdict.nodeName));
    }
    const rejection = admit(this.#pod, node, placed);
    if (rejection !== undefined) return this.#reject(rejection);
    this.#run();
  }

  /** Schedules again a Pod without a node, after a change of the node. */
  reconsider(): void {
    if (this.isWaiting && !this.#record.isBinding) this.begin();
  }

  /**
   * Takes a change of the stored object by this agent or another writer. Compares the clients' part, because the store
   * reports this agent's own writes too, and during such a write also earlier changes of others.
   */
  objectChanged(pod: StoredPod): void {
    if (this.#state !== 'present' || this.#record.isBinding || pod.metadata.uid !== this.#pod.metadata.uid) return;
    const isSameObject = isSameJson(clientPart(pod), clientPart(this.pod));
    if (isSameObject && !this.#isStatusOfOthers(pod.status)) return;
    if (this.#worker !== undefined) {
      this.#worker.objectChanged(pod);
      // Finalizers keep the object of a Pod that was deleted by force.
      if (isKeptByFinalizers(pod)) this.#worker.terminate(BY_FORCE);
      if (!isSameObject) this.#recordNotices(pod);
      return;
    }
    this.#pod = { ...pod, status: mergeStatus(pod.status, this.#pod.status) };
    if (isTerminalPhase(this.#pod.status.phase)) return this.#end();
    // A Pod that never ran is removed at once, without a terminal phase.
    if (pod.metadata.deletionTimestamp !== undefined) return this.#remove();
    this.begin();
  }

  /** True when another writer has changed the status. Changes before an own write are merged into it. */
  #isStatusOfOthers(status: PodStatus): boolean {
    if (this.#record.isSavingStatus) return false;
    return !isSameJson(status, this.#worker?.storedStatus ?? this.#pod.status);
  }

  /**
   * Ends the Pod after its object was removed. By force: with the shortest grace period, one second for the preStop
   * hook and two for the stop signal (source: pod_workers.go calculateEffectiveGracePeriod). Otherwise its files were
   * removed, perhaps with the whole state folder: with the Pod's own grace period.
   */
  objectGone(uid: string, isForced: boolean): void {
    if (uid !== this.#pod.metadata.uid) return;
    if (this.#state === 'held') return this.#end();
    if (this.#state !== 'present') return;
    this.#state = 'gone';
    this.#record.gone();
    if (!isForced) this.#options.onRecordLost(this.pod);
    if (this.#worker === undefined) this.#end();
    else this.#worker.terminate(isForced ? BY_FORCE : { force: false });
  }

  /** Ends the run, also while only finalizers keep the object. The record stays. */
  terminate(how: { readonly force: boolean; readonly graceSeconds?: number }): void {
    if (this.isOver) return;
    if (this.#state === 'held') this.#end();
    else if (this.#worker === undefined) this.#fail(ENDED_UNSCHEDULED);
    else this.#worker.terminate(how);
  }

  #run(restoration?: Restoration): void {
    if (restoration === undefined) this.#recordNotices(this.#pod);
    else for (const { message } of this.#options.notices(this.#pod)) this.#recordedNotices.add(message);
    if (restoration?.isSandboxNew === true) this.#record.events(this.#pod, [sandboxChanged()]);
    const [hostIP] = this.#options.node.hostIPs;
    this.#worker = new PodWorker({
      pod: this.#pod,
      clock: this.#options.clock,
      config: this.#options.config,
      hostIP,
      restoration,
      report: {
        status: (pod) => this.#record.saveStatus(pod),
        events: (pod, drafts) => this.#record.events(pod, drafts),
        finished: (pod) => this.#finished(pod),
      },
      effects: (onObservation) =>
        new ContainerEffects({
          clock: this.#options.clock,
          runtime: this.#options.runtime,
          onObservation,
          surroundings: {
            ...this.#options.surroundings,
            event: (pod, draft) => this.#record.events(pod, [draft]),
          },
        }),
    });
    this.#worker.start();
  }

  #recordNotices(pod: StoredPod): void {
    for (const notice of this.#options.notices(pod)) this.#recordOnce(pod, notice);
  }

  /** Records an event of podrun once. */
  #recordOnce(pod: StoredPod, notice: EventDraft): void {
    if (this.#recordedNotices.has(notice.message)) return;
    this.#recordedNotices.add(notice.message);
    this.#record.events(pod, [notice]);
  }

  #leavePending({ reason, message }: Extract<Schedule, { type: 'waits' }>): void {
    const before = this.#pod.status.conditions?.find(({ type }) => type === 'PodScheduled');
    if (before?.reason === reason && before.message === message) return;
    this.#pod = this.#record.saveStatus(
      withScheduled(this.#pod, { status: 'False', reason, message }, this.#options.clock.now()),
    );
    if (reason !== CONDITION.unschedulable) return;
    this.#record.schedulingEvent(this.#pod, failedScheduling(message));
    const { node } = this.#options;
    const missing = missingLabels(this.#pod.spec, node);
    if (missing.length > 0) this.#recordOnce(this.#pod, nodeLabelsMissing(node.name, missing));
  }

  /** Rejects the Pod, as the kubelet's admission does. Source: pkg/kubelet/kubelet.go rejectPod. */
  #reject({ reason, why }: Rejection): void {
    this.#record.events(this.#pod, [podRejected({ reason, why })]);
    const startTime = formatTime(this.#options.clock.now().wallMs);
    this.#pod = { ...this.#pod, status: { ...this.#pod.status, startTime } };
    this.#fail({ reason, message: rejectionMessage(why) });
  }

  /** Ends a Pod that never ran. */
  #fail(why: Pick<PodStatus, 'reason' | 'message'>): void {
    this.#pod = this.#record.saveStatus(failed(this.#pod, why));
    this.#end();
  }

  #finished(pod: StoredPod): void {
    this.#pod = pod;
    if (!this.#record.isGone && pod.metadata.deletionTimestamp !== undefined) this.#remove();
    else this.#end();
  }

  #remove(): void {
    this.#state = 'removing';
    if (this.#record.remove()) return this.#end();
    this.#state = 'held';
    // A Pod without a recorded end would count as lost after the end of this agent.
    if (!isTerminalPhase(this.#pod.status.phase))
      this.#pod = this.#record.saveStatus(failed(this.#pod, ENDED_UNSCHEDULED));
  }

  #end(): void {
    this.#record.whenSaved(() => {
      this.#state = 'over';
      this.#options.onOver(this.pod);
    });
  }
}

function failed(pod: StoredPod, why: Pick<PodStatus, 'reason' | 'message'>): StoredPod {
  return { ...pod, status: { ...pod.status, ...why, phase: 'Failed' } };
}

/** The part of a Pod that clients write and the agent only reads. */
function clientPart({ metadata, spec }: StoredPod): unknown {
  const { resourceVersion: _, ...rest } = metadata;
  return { metadata: rest, spec };
}
