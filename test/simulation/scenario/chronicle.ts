import type { Container, ContainerStatus, PodSpec } from '../../../src/api/generated/types.ts';
import { allContainerStatuses, isSidecar, type StoredEvent, type StoredPod } from '../../../src/api/base/objects.ts';
import type { JournalEntry } from '../../../src/simulation/simulated-runtime.ts';
import type { Entry } from './entry.ts';
import { isStarting, type Life, lives } from './life.ts';
import { matchingAction } from './restart-rules.ts';
import type { Purpose, Scenario } from './scenario.ts';

/** The end of the Pod, as an outside observer knows its time and cause. */
export interface Ending {
  /** A deadline that passes meanwhile becomes the cause. */
  cause: 'deleted' | 'ended' | 'deadlineExceeded' | 'completed';
  readonly sinceMs: number;
  /** The requests to end the Pod. Later ones can only shorten the end. */
  readonly requests: { readonly atMs: number; readonly graceMs: number }[];
  forcedAtMs: number | undefined;
}

/** The entries so far, in order. Contains an entry before the invariants check it. */
export class Chronicle {
  readonly scenario: Scenario;
  readonly entries: Entry[] = [];
  readonly lives: Life[] = [];
  readonly #byId = new Map<string, Life>();
  readonly #byContainer = new Map<string, Life[]>();
  readonly events: Map<string, StoredEvent> = new Map();
  /** The counts of events by container, or '' for the Pod: see `eventCount`. */
  readonly #eventCounts = new Map<string, number>();
  isRemovedByForce = false;
  /** True when events were combined into one without a container. */
  hasFoldedEvents = false;
  /** The event before its last change. */
  eventBefore: StoredEvent | undefined;
  /** The stored Pod. `before` is the Pod before the last change. */
  pod!: StoredPod;
  before: StoredPod | undefined;
  isRemoved = false;
  isOver = false;
  sandbox: 'none' | 'asked' | 'ready' | 'removed' = 'none';
  sandboxFailures = 0;
  ending: Ending | undefined;
  /** Requests to end the Pod that wait for a postStart hook. */
  #requests: Array<{ readonly cause: Ending['cause']; readonly graceSeconds: number | undefined }> = [];
  /** True between the match of a RestartAllContainers rule and the new round. */
  restartsAll = false;
  round = 0;
  readonly #rounds = new Map<string, number>();
  /** The startTime of the Pod: the agent's first sync. */
  startedAtMs: number | undefined;
  /** True when the wall clock was set. */
  clockJumped = false;
  /** Containers whose image was changed. */
  readonly imageChanged: Set<string> = new Set();

  constructor(scenario: Scenario) {
    this.scenario = scenario;
  }

  get spec(): PodSpec {
    return this.pod.spec;
  }

  /** All containers, init containers first, ephemeral ones last. */
  get containers(): Container[] {
    const { initContainers = [], containers, ephemeralContainers = [] } = this.spec;
    return [...initContainers, ...containers, ...ephemeralContainers];
  }

  get plainInit(): Container[] {
    return (this.spec.initContainers ?? []).filter((container) => !isSidecar(container));
  }

  get sidecars(): Container[] {
    return (this.spec.initContainers ?? []).filter(isSidecar);
  }

  isEphemeral(name: string): boolean {
    return this.spec.ephemeralContainers?.some((one) => one.name === name) ?? false;
  }

  container(name: string): Container {
    const container = this.containers.find((one) => one.name === name);
    if (container === undefined) throw new Error(`no container ${name}`);
    return container;
  }

  status(name: string): ContainerStatus | undefined {
    return allContainerStatuses(this.pod.status).find((status) => status.name === name);
  }

  life(id: string): Life {
    const life = this.#byId.get(id);
    if (life === undefined) throw new Error(`no instance ${id}`);
    return life;
  }

  /** The instance that a status shows, if the machine knows it. */
  shown({ containerID }: { readonly containerID?: string | undefined }): Life | undefined {
    return containerID === undefined ? undefined : this.#byId.get(containerID.replace('podrun://', ''));
  }

  livesOf(name: string): readonly Life[] {
    return this.#byContainer.get(name) ?? [];
  }

  newest(name: string): Life | undefined {
    return this.livesOf(name).at(-1);
  }

  isAlive(name: string): boolean {
    return this.livesOf(name).some(lives);
  }

  /**
   * The number of events with a reason about a container, or about the Pod.
   * @param detail only events of crash loops, of failed (not impossible) probes, and of starts
   */
  eventCount(reason: string, container: string = '', detail?: 'detail'): number {
    return this.#eventCounts.get(`${detail === undefined ? '' : 'detail '}${reason} ${container}`) ?? 0;
  }

  /** True when the conditions show that all containers have ended: the Pod then ends by itself. */
  get isDone(): boolean {
    const reasons = this.pod.status.conditions?.map(({ reason }) => reason) ?? [];
    return reasons.includes('PodCompleted') || reasons.includes('PodFailed');
  }

  /** True when the last entry is a write of a client, before the agent's answer. */
  get isClients(): boolean {
    return this.entries.at(-2)?.type === 'happening';
  }

  record(entry: Entry): void {
    this.entries.push(entry);
    if (entry.type === 'pod') this.#recordPod(entry.pod, entry.change, entry.atMs);
    else if (entry.type === 'asked') this.#recordAsked(entry.id, entry.container);
    else if (entry.type === 'event') this.#recordEvent(entry.event, entry.atMs);
    else if (entry.type === 'machine') this.#recordMachine(entry.entry);
    else if (entry.type === 'over') this.isOver = true;
    else if (entry.type === 'settled') {
      if (!this.isHookUnderWay && !this.lives.some(isStarting)) this.#begin(entry.atMs);
    } else if (entry.type === 'sandbox') {
      if (entry.what === 'failed') this.sandboxFailures += 1;
      else this.sandbox = entry.what;
    } else if (entry.type === 'happening') {
      const { happening } = entry;
      if (happening.does === 'jumpClock') this.clockJumped = true;
      if (happening.does === 'changeImage') this.imageChanged.add(happening.container);
      if (happening.does === 'end') this.#end('ended', { atMs: entry.atMs, byForce: happening.byForce });
    }
  }

  #recordPod(pod: StoredPod, change: string, atMs: number): void {
    this.before = this.pod as StoredPod | undefined;
    this.pod = pod;
    if (pod.status.startTime !== undefined) this.startedAtMs ??= atMs;
    const { deletionTimestamp, deletionGracePeriodSeconds } = pod.metadata;
    if (change === 'DELETED') {
      this.isRemoved = true;
      // The agent marks the object before it removes it. A deletion by force does both at once: running containers get
      // the shortest grace period.
      if (this.before?.metadata.deletionGracePeriodSeconds !== 0) {
        this.isRemovedByForce = true;
        this.#end('deleted', { atMs, graceSeconds: 1 });
      }
    } else if (deletionTimestamp !== this.before?.metadata.deletionTimestamp && deletionGracePeriodSeconds !== 0) {
      this.#end('deleted', { atMs, graceSeconds: deletionGracePeriodSeconds });
    }
  }

  #end(cause: Ending['cause'], how: { atMs: number; graceSeconds?: number | undefined; byForce?: boolean }): void {
    const { atMs, graceSeconds, byForce = false } = how;
    const mayWait = (cause === 'deleted' || cause === 'ended') && !byForce && !this.isRemoved;
    if (this.ending === undefined && mayWait && this.isHookUnderWay) {
      this.#requests.push({ cause, graceSeconds });
      return;
    }
    this.#begin(atMs);
    this.#ends(cause, how);
  }

  #ends(cause: Ending['cause'], how: { atMs: number; graceSeconds?: number | undefined; byForce?: boolean }): void {
    const { atMs, graceSeconds, byForce = false } = how;
    const { metadata, spec } = this.pod;
    const seconds = graceSeconds ?? metadata.deletionGracePeriodSeconds ?? spec.terminationGracePeriodSeconds ?? 30;
    const request = { atMs, graceMs: 1000 * Math.max(1, byForce ? 0 : seconds) };
    const forcedAtMs = byForce ? atMs : undefined;
    if (this.ending === undefined) this.ending = { cause, sinceMs: atMs, requests: [request], forcedAtMs };
    // Only a deletion and an end of the run shorten the end.
    if (cause === 'completed' || cause === 'deadlineExceeded') return;
    this.ending.forcedAtMs ??= forcedAtMs;
    this.ending.requests.push(request);
  }

  /** Begins the requested ends: the postStart hook is over or was aborted. */
  #begin(atMs: number): void {
    for (const { cause, graceSeconds } of this.#requests.splice(0)) this.#ends(cause, { atMs, graceSeconds });
  }

  /**
   * True when, as far as the agent knows, a postStart hook runs, or a container with a failed hook is being stopped.
   */
  get isHookUnderWay(): boolean {
    const { spec } = this.pod;
    const nowMs = this.entries.at(-1)?.atMs ?? 0;
    return this.lives.some(({ container, runningAtMs, exitReportedAtMs, killings, commands }) => {
      if (runningAtMs === undefined || exitReportedAtMs !== undefined) return false;
      const { lifecycle } =
        [...(spec.initContainers ?? []), ...spec.containers].find(({ name }) => name === container) ?? {};
      // The machine does not show a hook that sleeps.
      if (nowMs < runningAtMs + 1000 * (lifecycle?.postStart?.sleep?.seconds ?? 0)) return true;
      if (killings.some(({ message }) => message === 'FailedPostStartHook')) return true;
      return commands.some((run) => run.purpose === 'postStart' && (run.endedAtMs === undefined || run.isCutShort));
    });
  }

  #recordEvent(event: StoredEvent, atMs: number): void {
    this.eventBefore = this.events.get(event.metadata.name);
    this.events.set(event.metadata.name, event);
    const key = `${event.reason} ${containerOf(event) ?? ''}`;
    for (const each of [key, ...(isDetail(event) ? [`detail ${key}`] : [])]) {
      this.#eventCounts.set(
        each,
        (this.#eventCounts.get(each) ?? 0) + (event.count ?? 1) - (this.eventBefore?.count ?? 0),
      );
    }
    if (event.message?.startsWith('(combined')) this.hasFoldedEvents = true;
    if (event.reason === 'DeadlineExceeded') {
      this.#end('deadlineExceeded', { atMs });
      if (this.ending?.cause === 'deleted') this.ending.cause = 'deadlineExceeded';
    }
    if (event.reason !== 'Killing') return;
    const message = event.message ?? '';
    if (message.startsWith('Stopping container')) this.#end('completed', { atMs });
    this.newest(containerOf(event) ?? '')?.killings.push({
      atMs,
      message,
      deletionGraceSeconds: this.pod.metadata.deletionGracePeriodSeconds,
    });
  }

  #recordMachine(entry: JournalEntry): void {
    const { id, name: container, atMs } = entry;
    if (entry.what === 'start') return this.#recordStart(id, container, atMs);
    const life = this.life(id);
    if (entry.what === 'running') life.runningAtMs = atMs;
    else if (entry.what === 'failedToStart') {
      [life.failedAtMs, life.sweptAtMs] = [atMs, atMs];
      this.#triggerRestartAll(container, 128);
    } else if (entry.what === 'signal') life.signalledAtMs ??= atMs;
    else if (entry.what === 'kill') life.killedAtMs ??= atMs;
    else if (entry.what === 'swept') life.sweptAtMs ??= atMs;
    else if (entry.what === 'exec') {
      const purpose = entry.argv[0] as Purpose;
      life.commands.push({ purpose, startedAtMs: atMs, endedAtMs: undefined, outcome: undefined, isCutShort: false });
    } else if (entry.what === 'execEnd') {
      const run = life.commands.findLast(
        ({ purpose, endedAtMs }) => purpose === entry.argv[0] && endedAtMs === undefined,
      );
      if (run !== undefined) {
        Object.assign(run, { endedAtMs: atMs, outcome: entry.outcome, isCutShort: life.exit !== undefined });
      }
    } else {
      if (entry.what === 'exit') life.exit = entry;
      if (entry.what === 'exitReported' || entry.isReported) this.#recordExitReport(life, atMs);
    }
  }

  /** A new round begins with the first start after every container of the old round is gone. */
  #recordAsked(id: string, container: string): void {
    const isLeft = this.containers.some(({ name }) => !this.isEphemeral(name) && this.isAlive(name));
    if (this.restartsAll && !isLeft && !this.isEphemeral(container)) {
      this.restartsAll = false;
      this.round += 1;
    }
    this.#rounds.set(id, this.round);
  }

  #recordStart(id: string, container: string, atMs: number): void {
    const life: Life = {
      id,
      container,
      round: this.#rounds.get(id) ?? this.round,
      askedAtMs: atMs,
      runningAtMs: undefined,
      failedAtMs: undefined,
      exit: undefined,
      exitReportedAtMs: undefined,
      sweptAtMs: undefined,
      signalledAtMs: undefined,
      killedAtMs: undefined,
      commands: [],
      killings: [],
    };
    this.lives.push(life);
    this.#byId.set(id, life);
    this.#byContainer.set(container, [...this.livesOf(container), life]);
  }

  #recordExitReport(life: Life, atMs: number): void {
    life.exitReportedAtMs = atMs;
    this.#triggerRestartAll(life.container, life.exit?.exitCode ?? 0);
  }

  #triggerRestartAll(name: string, exitCode: number): void {
    const triggers = matchingAction(this.container(name), exitCode) === 'RestartAllContainers';
    if (triggers && this.ending === undefined) this.restartsAll = true;
  }
}

/** True for an event for which a container is at fault. Some reasons have several meanings. */
function isDetail({ message = '' }: StoredEvent): boolean {
  return /executable file|probe failed|restarting failed container/.test(message);
}

/** The container in the field path of an event. */
export function containerOf(event: StoredEvent): string | undefined {
  return /\{(.+)\}$/.exec(event.involvedObject.fieldPath ?? '')?.[1];
}
