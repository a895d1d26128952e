import type { HookOutput } from '../../agent/handlers.ts';
import type { RunOutcome } from '../../agent/apply-run.ts';
import {
  allContainerStatuses,
  isTerminalPhase,
  type StoredEvent,
  type StoredPod,
  type WatchEvent,
} from '../../api/objects.ts';
import type { Clock } from '../../clock.ts';
import { eventTransition } from '../../print/live/event-transition.ts';
import { idleFieldsTransition, isAboutIdleField } from '../../print/live/idle-fields-transition.ts';
import { liveColumns, type LiveStyle, renderLogLine, renderTransition } from '../../print/live/live-line.ts';
import { type Transition, transitionsOf } from '../../print/live/transition.ts';
import { waitingFor } from '../../print/live/waiting-for.ts';
import type { OutputStream } from '../../runtime/runtime.ts';
import type { ApplyView, ViewOptions } from './apply-view.ts';
import { painterFor } from './chalk-painter.ts';
import { OutputLines } from '../../print/live/output-lines.ts';
import { type ReaderGone, StandardOutput } from '../standard-output.ts';
import { StatusLine } from './status-line.ts';

/** For people: a line for each transition, what containers print in between, and below it what is being waited for. */
export class TextView implements ApplyView {
  readonly #clock: Clock;
  readonly #out = new StandardOutput();
  readonly #style: LiveStyle;
  readonly #sinceMs: number;
  readonly #showsLogs: boolean;
  readonly #pods = new Map<string, StoredPod>();
  readonly #lines = new Map<string, OutputLines>();
  readonly #told = new Set<string>();
  /** They come one after the other, and are shown together before anything else is. */
  readonly #idleFields: StoredEvent[] = [];
  readonly #status: StatusLine;
  #isEnding = false;

  constructor({ flags, clock, pods }: ViewOptions) {
    this.#clock = clock;
    this.#sinceMs = clock.now().wallMs;
    this.#showsLogs = flags.logs;
    // A terminal that nobody has given a size has 0 columns.
    const width = process.stdout.isTTY ? process.stdout.columns || undefined : undefined;
    this.#style = { columns: liveColumns(pods), color: painterFor(process.stdout), width };
    this.#status = new StatusLine(clock, () => this.#waiting());
  }

  pod({ type, object }: WatchEvent<StoredPod>): void {
    const previous = this.#pods.get(object.metadata.uid);
    const next = type === 'DELETED' ? undefined : object;
    if (next === undefined) this.#pods.delete(object.metadata.uid);
    else this.#pods.set(object.metadata.uid, next);
    for (const { name, state } of allContainerStatuses(object.status)) {
      if (state?.running === undefined) this.#flush(object, name);
    }
    for (const transition of transitionsOf(previous, next, this.#clock.now().wallMs)) this.#show(transition);
    this.#status.refresh();
  }

  event({ type, object }: WatchEvent<StoredEvent>): void {
    if (type === 'DELETED') return;
    if (isAboutIdleField(object)) return void this.#idleFields.push(object);
    const transition = eventTransition(object, this.#clock.now().wallMs);
    if (transition !== undefined) this.#show(transition);
  }

  output(pod: StoredPod, container: string, stream: OutputStream, chunk: Buffer): void {
    if (!this.#showsLogs) return;
    const key = `${pod.metadata.uid}/${container}/${stream}`;
    let lines = this.#lines.get(key);
    if (lines === undefined) {
      const { name } = pod.metadata;
      lines = new OutputLines((text) => this.#line(renderLogLine({ pod: name, container, text }, this.#style)));
      this.#lines.set(key, lines);
    }
    lines.write(chunk);
  }

  hookOutput({ metadata }: StoredPod, { container, handler, lines }: HookOutput): void {
    if (!this.#showsLogs) return;
    for (const text of lines.toString().trimEnd().split(/\r?\n/)) {
      this.#line(renderLogLine({ pod: metadata.name, container, hook: handler, text }, this.#style));
    }
  }

  note(text: string): void {
    this.#line(text);
  }

  trouble(text: string): void {
    if (this.#told.has(text)) return;
    this.#told.add(text);
    process.stderr.write(`Warning: ${text}\n`);
  }

  commandStarts(argv: readonly string[]): void {
    // The terminal belongs to COMMAND now.
    this.#status.close();
    this.#line(this.#style.color.tone('muted', `running ${argv.join(' ')}`));
  }

  ending(outcome: RunOutcome): void {
    this.#isEnding = true;
    const text = ENDINGS[outcome.type](outcome as never);
    if (text !== '') this.#line(this.#style.color.tone('muted', text));
    this.#status.refresh();
  }

  onReaderGone(callback: (how: ReaderGone) => void): void {
    this.#out.onReaderGone(callback);
  }

  close(): void {
    this.#showIdleFields();
    for (const lines of this.#lines.values()) lines.flush();
    this.#status.close();
  }

  #show(transition: Transition): void {
    this.#showIdleFields();
    this.#line(renderTransition(transition, this.#sinceMs, this.#style));
  }

  #showIdleFields(): void {
    const events = this.#idleFields.splice(0);
    const uids = new Set(events.map(({ involvedObject }) => involvedObject.uid));
    for (const uid of uids) {
      const ofPod = events.filter(({ involvedObject }) => involvedObject.uid === uid);
      this.#show(idleFieldsTransition(ofPod, this.#clock.now().wallMs));
    }
  }

  #line(text: string): void {
    this.#out.write(`${text}\n`);
  }

  #flush(pod: StoredPod, container: string): void {
    for (const stream of ['stdout', 'stderr']) this.#lines.get(`${pod.metadata.uid}/${container}/${stream}`)?.flush();
  }

  #waiting(): string {
    const { wallMs } = this.#clock.now();
    const open = [...this.#pods.values()].filter(({ status }) => !isTerminalPhase(status.phase));
    const phrase = (pod: StoredPod): string => (this.#isEnding ? stopping(pod) : waitingFor(pod, wallMs));
    return open.map((pod) => `${pod.metadata.name}: ${phrase(pod)}`).join('; ');
  }
}

/** Which containers have yet to end. */
function stopping(pod: StoredPod): string {
  const running = allContainerStatuses(pod.status).filter(({ state }) => state?.running !== undefined);
  return running.length === 0 ? 'ending' : `stopping ${running.map(({ name }) => name).join(', ')}`;
}

/** Said when the end of a run has been decided and its Pods are being ended. */
const ENDINGS: { readonly [Type in RunOutcome['type']]: (outcome: Extract<RunOutcome, { type: Type }>) => string } = {
  ended: () => '',
  goalMet: () => 'goal met, ending the Pods',
  goalImpossible: ({ pod }) => `pod ${pod.metadata.name} cannot get there any more, ending the Pods`,
  timedOut: () => 'time is up, ending the Pods',
  commandEnded: ({ exitCode }) => `COMMAND exited with ${exitCode}, ending the Pods`,
  interrupted: ({ signal }) => `${signal}: ending the Pods (once more to kill them)`,
};
