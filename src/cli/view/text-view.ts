import { inBackground } from '../../defects.ts';
import {
  autoscalerTransition,
  continuedLog,
  eventTransition,
  type FoldedPod,
  foldedTransitions,
  howLapsed,
  isAboutFieldWithoutEffect,
  logPrefix,
  namedRoot,
  networkTransition,
  nodeTransition,
  OutputLines,
  type Painter,
  prefixLines,
  renderRemark,
  renderTransition,
  type Tone,
  type Transition,
  transitionsOf,
  withoutEffectTransition,
} from '../../print/index.ts';
import type { Owned } from '../../controllers/index.ts';
import { isatty } from 'node:tty';
import type { HookOutput } from '../../kubelet/index.ts';
import type { PullNotice } from '../../images/index.ts';
import type { RunOutcome } from '../../engine/index.ts';
import type { StoredIngress } from '../../network/index.ts';
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
import type { ApplyView, ApplyViewOptions, FollowedRun } from './apply-view.ts';
import type { Cli } from '../base/cli.ts';
import { FittingStyle } from './fitting-style.ts';
import { isOutputShown, type KeyState } from './key-state.ts';
import { KnownAddresses, KnownWorkloads } from './known.ts';
import type { StatusView, WatchedView } from './status-view.ts';
import type { ReaderGone } from '../base/process.ts';

/** The time before the block appears. A shorter run needs no block. */
const FIRST_MS = 150;

/** The view for people: a line for each transition, output of containers, and a status block on a terminal. */
export class TextView implements ApplyView {
  readonly #cli: Cli;
  readonly #isVerbose: boolean;
  readonly #style: FittingStyle;
  readonly #sinceMs: number;
  readonly #isTerminal: boolean;
  /** True when notes stand in the grid. Otherwise they are lines as kubectl prints them. */
  #isRun: boolean;
  #keys: KeyState;
  /** By resolved uid, which Events and output name. */
  readonly #pods = new Map<string, StoredPod>();
  /** By resolved uid. */
  readonly #folded = new Map<string, FoldedPod>();
  readonly #workloads = new KnownWorkloads();
  readonly #addresses: KnownAddresses;
  /** The containers that podrun stops since the end was decided, by uid of the Pod. */
  readonly #stopped = new Map<string, ReadonlySet<string>>();
  readonly #lines = new Map<string, OutputLines>();
  readonly #printed = new Set<string>();
  /** Events about fields without effect. They arrive one after the other, and are shown as one line. */
  readonly #groupFieldsWithoutEffect: StoredEvent[] = [];
  #isEnding = false;
  readonly #askNodes: () => boolean;
  /** True when there is more than one node. Undefined: no Pod has a node yet. */
  #hasNodes: boolean | undefined;
  readonly #events = new Map<string, StoredEvent>();
  /** The pulls that are under way, by image. */
  readonly #pulls = new Map<string, PullNotice>();
  #run: FollowedRun = { activityOf: () => undefined };
  /** Lines that wait while another program has the terminal. Undefined: none has. */
  #held: (string | Uint8Array)[] | undefined;
  /** Undefined without a terminal, in the first moments of a run, and while COMMAND has the terminal. */
  #status: StatusView | undefined;
  #statusAlarm: Alarm | undefined;

  /** @param status loads the status block for a terminal: loading takes longer than a short run */
  constructor(
    { cli, flags, pods, workloads, manifests, isRun, hasNodes = () => false }: ApplyViewOptions,
    color: Painter,
    status?: () => Promise<typeof StatusView>,
  ) {
    const { clock } = cli;
    const addresses = manifests
      .map(({ object }) => object)
      .filter(({ kind }) => kind === 'Service' || kind === 'Ingress');
    const hasMore = flags.staticPods !== undefined;
    this.#cli = cli;
    this.#sinceMs = clock.now().wallMs;
    const output = flags.logs ? 'all' : 'none';
    this.#keys = { chosen: undefined, output, filter: '', isFiltering: false };
    this.#isTerminal = cli.stdout.isTerminal;
    this.#isRun = isRun;
    this.#askNodes = hasNodes;
    const others = addresses.map(({ kind, metadata }) => `${kind.toLowerCase()}/${metadata.name}`);
    const live = { pods, workloads, others, hasMore };
    this.#style = new FittingStyle(cli.stdout, live, { color, hasTimestamps: flags.timestamps === true });
    this.#addresses = new KnownAddresses(addresses.filter(({ kind }) => kind === 'Ingress') as StoredIngress[]);
    this.#isVerbose = cli.isVerbose;
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
    // A static Pod that has not ended keeps running, with another mirror Pod.
    const isOver = type === 'DELETED' && (!isMirrorPod(object) || isTerminalPhase(object.status.phase));
    if (isOver) this.#pods.delete(uid);
    else this.#pods.set(uid, object);
    if (previous === undefined) this.#style.countContainers(object);
    if (object.spec.nodeName !== undefined) this.#hasNodes ??= this.#askNodes();
    for (const { name, state } of allContainerStatuses(object.status)) {
      if (state?.running === undefined) this.#flush(object, name);
    }
    for (const transition of this.#transitionsOf(uid, previous, next)) this.#show(transition);
    this.#status?.changed();
  }

  #transitionsOf(uid: string, previous: StoredPod | undefined, next: StoredPod | undefined): Transition[] {
    const atMs = this.#cli.clock.now().wallMs;
    const isDeleted = next?.metadata.deletionTimestamp !== undefined;
    const context = {
      stopped: this.#stopped.get(uid),
      deletedBy: isDeleted ? this.#workloads.deletedBy(next) : undefined,
      hasNodes: this.#hasNodes === true,
    };
    if (next === undefined || this.#isVerbose) return transitionsOf(previous, next, atMs, context);
    const { transitions, folded } = foldedTransitions(previous, next, atMs, context, this.#folded.get(uid));
    this.#folded.set(uid, folded);
    return transitions;
  }

  object(event: WatchEvent<Owned>): void {
    const { clock } = this.#cli;
    const atMs = clock.now().wallMs;
    const rescaled = autoscalerTransition(event.object, atMs);
    const transitions = rescaled ?? this.#workloads.take(event, [...this.#pods.values()], atMs);
    this.#addresses.take(event);
    // The controllers have stopped: what changes now is no progress of the workloads.
    if (!this.#isEnding) for (const transition of transitions) this.#show(transition);
    this.#status?.changed();
  }

  event({ type, object }: WatchEvent<StoredEvent>): void {
    if (type === 'DELETED') return void this.#events.delete(object.metadata.uid);
    if (this.#statusAlarm !== undefined) this.#events.set(object.metadata.uid, object);
    if (isAboutFieldWithoutEffect(object)) return void this.#groupFieldsWithoutEffect.push(object);
    const { kind } = object.involvedObject;
    if (kind === 'Service' || kind === 'Ingress') this.#addresses.event(object);
    const atMs = this.#cli.clock.now().wallMs;
    const pod = this.#pods.get(object.involvedObject.uid ?? '');
    const transition =
      nodeTransition(object, atMs) ??
      networkTransition(object, atMs) ??
      eventTransition(object, atMs, pod) ??
      this.#workloads.warning(object, atMs);
    if (transition !== undefined) this.#show(transition);
  }

  output(pod: StoredPod, container: string, stream: OutputStream, chunk: Buffer): Promise<void> | undefined {
    if (!isOutputShown(this.#keys, pod, container)) return undefined;
    const key = `${resolvedUid(pod)}/${container}/${stream}`;
    let lines = this.#lines.get(key);
    if (lines === undefined) {
      lines = new OutputLines((whole) => this.#printOutput(whole, pod, container));
      this.#lines.set(key, lines);
    }
    lines.write(chunk);
    return this.#cli.stdout.whenTaken();
  }

  hookOutput(pod: StoredPod, { container, handler, lines }: HookOutput): void {
    if (isOutputShown(this.#keys, pod, container)) this.#printOutput(lines, pod, container, handler);
  }

  /** @param lines ends with a newline */
  #printOutput(lines: Buffer, { metadata }: StoredPod, container: string, hook?: string): void {
    const own = hook === undefined ? {} : { hook };
    const line = { pod: metadata.name, container, atMs: this.#cli.clock.now().wallMs, ...own };
    const style = this.#style.current;
    const continued = style.width === undefined ? undefined : continuedLog(style);
    const prefix = logPrefix(line, style);
    this.#print(prefixLines(lines, { prefix, isTerminal: this.#isTerminal, continued }));
  }

  note(text: string): void {
    if (this.#isRun) this.#remark(text);
    else this.#line(text);
  }

  runsNothing(): void {
    this.#isRun = false;
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

  follow(run: FollowedRun): void {
    this.#run = run;
  }

  commandStarts(argv: readonly string[]): void {
    // COMMAND has the terminal from here on.
    this.#closeStatus();
    this.#remark(`running ${argv.join(' ')}`);
  }

  ending(outcome: RunOutcome): void {
    const text = ENDINGS[outcome.type](outcome as never);
    if (text === '') return;
    this.#isEnding = true;
    this.#remark(text);
    for (const [uid, pod] of this.#pods) this.#stopped.set(uid, containersWithProcess(pod, this.#run.activityOf(uid)));
  }

  onReaderGone(callback: (how: ReaderGone) => void): void {
    this.#cli.stdout.onReaderGone(callback);
  }

  close(): void {
    this.#showIdleFields();
    for (const lines of this.#lines.values()) lines.flush();
    this.#closeStatus();
    this.#holdLines(false);
  }

  #closeStatus(): void {
    this.#statusAlarm?.cancel();
    this.#statusAlarm = undefined;
    this.#status?.close();
  }

  #show(transition: Transition): void {
    this.#showIdleFields();
    const { pod, subject = pod, container } = transition;
    const name = container === undefined ? subject : `${subject}/${container}`;
    if (!name.includes(this.#keys.filter)) return;
    this.#line(renderTransition(transition, this.#sinceMs, this.#style.fit()));
  }

  #remark(text: string, tone: Tone = 'muted'): void {
    const remark = { atMs: this.#cli.clock.now().wallMs, text, tone };
    this.#line(renderRemark(remark, this.#sinceMs, this.#style.fit()));
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

  #line(text: string): void {
    this.#print(`${text}\n`);
  }

  #print(text: string | Uint8Array): void {
    if (this.#held !== undefined) return void this.#held.push(text);
    this.#status?.makeWay();
    this.#cli.stdout.write(text);
  }

  #holdLines(isHeld: boolean): void {
    const held = this.#held ?? [];
    this.#held = isHeld ? held : undefined;
    if (!isHeld) for (const text of held) this.#print(text);
  }

  #watch(Status: typeof StatusView, takesKeys: boolean): void {
    // The view was closed while the module was loading.
    if (this.#statusAlarm === undefined) return;
    const view: WatchedView = {
      cli: this.#cli,
      style: () => this.#style.current,
      pods: () => [...this.#pods.values()],
      addresses: () => this.#addresses.reachable(this.#workloads.listed),
      workloads: () => this.#workloads.listed,
      podsOf: ({ metadata: { uid } }) => this.#workloads.podsOf(uid, [...this.#pods.values()]),
      events: () => [...this.#events.values()],
      pulls: () => [...this.#pulls.values()],
      activityOf: (uid) => this.#run.activityOf(uid),
      hasNodes: () => this.#hasNodes === true,
      // isatty does not open the stream.
      takesKeys: takesKeys && isatty(0),
      print: (text) => this.#print(text),
      printOutput: (lines, pod, container) => this.#printOutput(lines, pod, container),
      remark: (text) => this.#remark(text),
      keys: () => this.#keys,
      chose: (state) => {
        if (state.output !== this.#keys.output) for (const lines of this.#lines.values()) lines.flush();
        this.#keys = state;
      },
      holdLines: (isHeld) => this.#holdLines(isHeld),
      restart: () => this.#run.restart,
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
  unservable: () => 'an object cannot be served, ending the Pods',
  stuck: () => 'the remaining Pods cannot start, ending the Pods',
  timedOut: () => 'timed out, ending the Pods',
  commandEnded: ({ exitCode }) => `COMMAND exited with ${exitCode}, ending the Pods`,
  broken: () => 'podrun has failed, ending the Pods',
  interrupted: ({ signal }) => `${signal}: ending the Pods (send it again to kill them)`,
};
