import { inBackground } from '../../defects.ts';
import {
  eventTransition,
  howLapsed,
  isAboutFieldWithoutEffect,
  liveColumns,
  type LiveLogLine,
  type LiveObjects,
  type LiveStyle,
  logPrefix,
  namedRoot,
  networkEventLine,
  OutputLines,
  type Painter,
  prefixLines,
  renderLogLine,
  renderTransition,
  terminalLine,
  type Transition,
  transitionsOf,
  withoutEffectTransition,
} from '../../print/index.ts';
import type { Owned } from '../../controllers/index.ts';
import { isatty } from 'node:tty';
import type { HookOutput } from '../../kubelet/index.ts';
import type { PullNotice } from '../../images/index.ts';
import type { RunOutcome } from '../../engine/index.ts';
import {
  allContainerStatuses,
  controllerOf,
  isMirrorPod,
  isTerminalPhase,
  resolvedUid,
  type StoredEvent,
  type StoredPod,
  type WatchEvent,
} from '../../api/index.ts';
import type { Alarm } from '../../clock.ts';
import type { PodActivity } from '../../lifecycle/index.ts';
import type { OutputStream } from '../../runtime/index.ts';
import type { ApplyView, ApplyViewOptions } from './apply-view.ts';
import type { Cli } from '../base/cli.ts';
import { KnownServices } from './known/known-services.ts';
import { KnownWorkloads } from './known/known-workloads.ts';
import type { StatusView, WatchedView } from './status-view.ts';
import type { ReaderGone } from '../base/process.ts';

/** The time before the block appears. A shorter run needs no block. */
const FIRST_MS = 150;

/** The view for people: a line for each transition, output of containers, and a status block on a terminal. */
export class TextView implements ApplyView {
  readonly #cli: Cli;
  readonly #shown: LiveObjects;
  /** The numbers of containers, which choose their colours. Those of Pods that controllers make come later. */
  readonly #series = new Map<string, number>();
  readonly #color: Painter;
  #style: LiveStyle;
  readonly #sinceMs: number;
  readonly #isTerminal: boolean;
  #showsLogs: boolean;
  /** By resolved uid, which Events and output name. */
  readonly #pods = new Map<string, StoredPod>();
  readonly #workloads = new KnownWorkloads();
  readonly #services = new KnownServices();
  /** The containers that podrun stops since the end was decided, by uid of the Pod. */
  readonly #stopped = new Map<string, ReadonlySet<string>>();
  readonly #lines = new Map<string, OutputLines>();
  readonly #printed = new Set<string>();
  /** Events about fields without effect. They arrive one after the other, and are shown as one line. */
  readonly #groupFieldsWithoutEffect: StoredEvent[] = [];
  #isEnding = false;
  readonly #events = new Map<string, StoredEvent>();
  /** The pulls that are under way, by image. */
  readonly #pulls = new Map<string, PullNotice>();
  #activityOf: (uid: string) => PodActivity | undefined = () => undefined;
  /** Undefined without a terminal, in the first moments of a run, and while COMMAND has the terminal. */
  #status: StatusView | undefined;
  #statusAlarm: Alarm | undefined;

  /** @param status loads the status block for a terminal: loading takes longer than a short run */
  constructor(
    { cli, flags, pods, workloads }: ApplyViewOptions,
    color: Painter,
    status?: () => Promise<typeof StatusView>,
  ) {
    const { clock } = cli;
    this.#cli = cli;
    this.#sinceMs = clock.now().wallMs;
    this.#showsLogs = flags.logs;
    this.#isTerminal = cli.stdout.isTerminal;
    this.#shown = { pods, workloads, hasMore: flags.staticPods !== undefined };
    this.#color = color;
    this.#style = this.#fittingStyle();
    if (status === undefined) return;
    const takesKeys = !flags.filename.includes('-');
    this.#statusAlarm = clock.wakeAt(clock.now().monotonicMs + FIRST_MS, () => {
      inBackground(status().then((Status) => this.#watch(Status, takesKeys)));
    });
  }

  pod({ type, object }: WatchEvent<StoredPod>): void {
    const uid = resolvedUid(object);
    const previous = this.#pods.get(uid);
    const next = type === 'DELETED' ? undefined : object;
    // A static Pod that has not ended goes on, with another mirror Pod.
    const isOver = type === 'DELETED' && (!isMirrorPod(object) || isTerminalPhase(object.status.phase));
    if (isOver) this.#pods.delete(uid);
    else this.#pods.set(uid, object);
    if (previous === undefined) this.#countContainers(object);
    for (const { name, state } of allContainerStatuses(object.status)) {
      if (state?.running === undefined) this.#flush(object, name);
    }
    const context = {
      stopped: this.#stopped.get(uid),
      deletedBy: object.metadata.deletionTimestamp === undefined ? undefined : this.#workloads.deletedBy(object),
    };
    for (const transition of transitionsOf(previous, next, this.#cli.clock.now().wallMs, context))
      this.#show(transition);
    this.#status?.changed();
  }

  object(event: WatchEvent<Owned>): void {
    const { clock } = this.#cli;
    const transitions = this.#workloads.take(event, [...this.#pods.values()], clock.now().wallMs);
    this.#services.take(event);
    // The controllers have stopped: what changes now is no progress of the workloads.
    if (!this.#isEnding) for (const transition of transitions) this.#show(transition);
    this.#status?.changed();
  }

  event({ type, object }: WatchEvent<StoredEvent>): void {
    if (type === 'DELETED') return void this.#events.delete(object.metadata.uid);
    if (this.#statusAlarm !== undefined) this.#events.set(object.metadata.uid, object);
    if (isAboutFieldWithoutEffect(object)) return void this.#groupFieldsWithoutEffect.push(object);
    const network = networkEventLine(object);
    if (network !== undefined) return this.#line(network);
    const atMs = this.#cli.clock.now().wallMs;
    const pod = this.#pods.get(object.involvedObject.uid ?? '');
    const transition = eventTransition(object, atMs, pod) ?? this.#workloads.warning(object, atMs);
    if (transition !== undefined) this.#show(transition);
  }

  output(pod: StoredPod, container: string, stream: OutputStream, chunk: Buffer): Promise<void> | undefined {
    if (!this.#showsLogs) return undefined;
    const key = `${resolvedUid(pod)}/${container}/${stream}`;
    let lines = this.#lines.get(key);
    if (lines === undefined) {
      const prefix = logPrefix({ pod: pod.metadata.name, container }, this.#style);
      lines = new OutputLines((lines) => this.#print(prefixLines(lines, { prefix, isTerminal: this.#isTerminal })));
      this.#lines.set(key, lines);
    }
    lines.write(chunk);
    return this.#cli.stdout.whenTaken();
  }

  hookOutput({ metadata }: StoredPod, { container, handler, lines }: HookOutput): void {
    if (!this.#showsLogs) return;
    for (const text of lines.toString().trimEnd().split(/\r?\n/)) {
      this.#logLine({ pod: metadata.name, container, hook: handler, text });
    }
  }

  note(text: string): void {
    this.#line(text);
  }

  trouble(text: string): void {
    if (this.#printed.has(text)) return;
    this.#printed.add(text);
    this.#status?.makeWay();
    this.#cli.stderr.write(`Warning: ${text}\n`);
  }

  pull(notice: PullNotice): void {
    if (notice.stage === 'done' || notice.stage === 'failed') this.#pulls.delete(notice.image);
    else this.#pulls.set(notice.image, notice);
    this.#status?.changed();
  }

  follow(activityOf: (uid: string) => PodActivity | undefined): void {
    this.#activityOf = activityOf;
  }

  commandStarts(argv: readonly string[]): void {
    // COMMAND has the terminal from here on.
    this.#closeStatus();
    this.#line(this.#color.tone('muted', `running ${argv.join(' ')}`));
  }

  ending(outcome: RunOutcome): void {
    const text = ENDINGS[outcome.type](outcome as never);
    if (text === '') return;
    this.#isEnding = true;
    this.#line(this.#color.tone('muted', text));
    for (const [uid, pod] of this.#pods) this.#stopped.set(uid, containersWithProcess(pod, this.#activityOf(uid)));
  }

  onReaderGone(callback: (how: ReaderGone) => void): void {
    this.#cli.stdout.onReaderGone(callback);
  }

  close(): void {
    this.#showIdleFields();
    for (const lines of this.#lines.values()) lines.flush();
    this.#closeStatus();
  }

  #closeStatus(): void {
    this.#statusAlarm?.cancel();
    this.#statusAlarm = undefined;
    this.#status?.close();
  }

  #show(transition: Transition): void {
    this.#showIdleFields();
    if (this.#width() !== this.#style.width) this.#style = this.#fittingStyle();
    this.#line(renderTransition(transition, this.#sinceMs, this.#style));
  }

  #width(): number | undefined {
    return this.#isTerminal ? this.#cli.stdout.columns : undefined;
  }

  #fittingStyle(): LiveStyle {
    const width = this.#width();
    const { series, ...columns } = liveColumns(this.#shown, width);
    for (const [name, index] of series) this.#series.set(name, index);
    return { columns: { ...columns, series: this.#series }, color: this.#color, width };
  }

  #countContainers({ metadata, spec }: StoredPod): void {
    for (const { name } of [...(spec.initContainers ?? []), ...spec.containers]) {
      const key = `${metadata.name}/${name}`;
      if (!this.#series.has(key)) this.#series.set(key, this.#series.size);
    }
  }

  #showIdleFields(): void {
    const events = this.#groupFieldsWithoutEffect.splice(0);
    const uids = new Set(events.map(({ involvedObject }) => involvedObject.uid));
    for (const uid of uids) {
      const ofPod = events.filter(({ involvedObject }) => involvedObject.uid === uid);
      const transition = withoutEffectTransition(ofPod, this.#cli.clock.now().wallMs);
      const pod = this.#pods.get(uid ?? '');
      const controller = pod && controllerOf(pod)?.uid;
      const key = `${controller}: ${transition.text}`;
      // The Pods of one controller have the same fields: the first one tells.
      if (controller !== undefined && this.#printed.has(key)) continue;
      this.#printed.add(key);
      this.#show(transition);
    }
  }

  #logLine(line: LiveLogLine): void {
    const text = this.#isTerminal ? terminalLine(line.text) : line.text;
    // Bytes are written unchanged: output of a hook is treated like that of a container.
    this.#print(Buffer.from(`${renderLogLine({ ...line, text }, this.#style)}\n`));
  }

  #line(text: string): void {
    this.#print(`${text}\n`);
  }

  #print(text: string | Uint8Array): void {
    this.#status?.makeWay();
    this.#cli.stdout.write(text);
  }

  #watch(Status: typeof StatusView, takesKeys: boolean): void {
    // The view was closed while the module was loading.
    if (this.#statusAlarm === undefined) return;
    const view: WatchedView = {
      cli: this.#cli,
      style: this.#style,
      pods: () => [...this.#pods.values()],
      services: () => this.#services.shown,
      workloads: () => this.#workloads.shown,
      podsOf: ({ metadata: { uid } }) => this.#workloads.podsOf(uid, [...this.#pods.values()]),
      events: () => [...this.#events.values()],
      pulls: () => [...this.#pulls.values()],
      activityOf: (uid) => this.#activityOf(uid),
      // isatty does not open the stream.
      takesKeys: takesKeys && isatty(0),
      print: (text) => this.#print(text),
      showsLogs: () => this.#showsLogs,
      toggleLogs: () => {
        for (const lines of this.#lines.values()) lines.flush();
        this.#showsLogs = !this.#showsLogs;
      },
    };
    this.#status = new Status(view);
  }

  #flush(pod: StoredPod, container: string): void {
    for (const stream of ['stdout', 'stderr']) this.#lines.get(`${resolvedUid(pod)}/${container}/${stream}`)?.flush();
  }
}

/** The containers with a process. During a postStart hook the status still says waiting. */
function containersWithProcess({ status }: StoredPod, activity: PodActivity | undefined): ReadonlySet<string> {
  const running = allContainerStatuses(status).filter(
    ({ name, state }) => state?.running || activity?.containers[name]?.isInPostStart,
  );
  return new Set(running.map(({ name }) => name));
}

/** The line about the decision to end the Pods. */
const ENDINGS: { readonly [Type in RunOutcome['type']]: (outcome: Extract<RunOutcome, { type: Type }>) => string } = {
  ended: () => '',
  goalMet: () => 'goal met, ending the Pods',
  goalImpossible: ({ root }) => `${namedRoot(root)} can no longer meet the goal, ending the Pods`,
  goalLapsed: ({ lapse }) => `pod ${lapse.pod.metadata.name} ${howLapsed(lapse)}, ending the Pods`,
  stuck: () => 'the remaining Pods cannot start, ending the Pods',
  timedOut: () => 'timed out, ending the Pods',
  commandEnded: ({ exitCode }) => `COMMAND exited with ${exitCode}, ending the Pods`,
  broken: () => 'podrun has failed, ending the Pods',
  interrupted: ({ signal }) => `${signal}: ending the Pods (send it again to kill them)`,
};
