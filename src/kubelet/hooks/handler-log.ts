import type { StoredPod } from '../../api/index.ts';
import type { Clock } from '../../clock.ts';
import { containerSpec, type HookRun, type ProbeType } from '../../lifecycle/index.ts';
import type { ExecOutcome, OutputStream } from '../../runtime/index.ts';
import type { InstanceRef } from '../../store/index.ts';

export type HookName = HookRun['hook'];

/** Output lines of a hook or probe. "Handler" is Kubernetes' word for the action of either. */
export interface HandlerOutput {
  readonly handler: HookName | ProbeType;
  /** Undefined: a note of podrun about the handler. */
  readonly stream: OutputStream | undefined;
  /** Whole lines, each with its newline. */
  readonly lines: Buffer;
}

interface HookCommandOutput extends HandlerOutput {
  readonly handler: HookName;
  readonly stream: OutputStream;
}

/** Output of a hook's command with the name of its container, in whole lines. */
export interface HookOutput extends HookCommandOutput {
  readonly container: string;
}

/** The length at which a line without an end is passed on. */
const LINE_BYTES_MAX = 16 * 1024;
const NEWLINE = 10;

/**
 * The output of one run of a hook or probe, passed on in whole lines: lines of several handlers never mix. Adds
 * podrun's notes about the run.
 */
export class HandlerLog {
  readonly #clock: Clock;
  readonly #write: (stream: OutputStream | undefined, lines: Buffer) => void;
  readonly #beganMs: number;
  /** The beginnings of lines that are still incomplete. */
  readonly #rests: Record<OutputStream, Buffer> = { stdout: Buffer.alloc(0), stderr: Buffer.alloc(0) };

  constructor(clock: Clock, write: (stream: OutputStream | undefined, lines: Buffer) => void) {
    this.#clock = clock;
    this.#write = write;
    this.#beganMs = clock.now().monotonicMs;
  }

  /** Takes a piece of output. */
  readonly output = (stream: OutputStream, chunk: Buffer): void => {
    const bytes = Buffer.concat([this.#rests[stream], chunk]);
    const end = bytes.lastIndexOf(NEWLINE) + 1;
    if (end > 0) this.#write(stream, bytes.subarray(0, end));
    this.#rests[stream] = bytes.subarray(end);
    if (this.#rests[stream].length > LINE_BYTES_MAX) this.#flush(stream);
  };

  /** Adds a note, for example `begins: sleep 5s`. */
  note(text: string): void {
    this.#write(undefined, Buffer.from(`${text.trimEnd().replaceAll('\n', ' ')}\n`));
  }

  /**
   * Ends the run: passes on incomplete lines, and notes how the run ended and how long it took.
   * @param how undefined: no note
   */
  ended(how: string | undefined): void {
    this.#flush('stdout');
    this.#flush('stderr');
    if (how === undefined) return;
    const seconds = (this.#clock.now().monotonicMs - this.#beganMs) / 1000;
    this.note(`ended after ${seconds.toFixed(3)}s: ${how}`);
  }

  #flush(stream: OutputStream): void {
    const rest = this.#rests[stream];
    this.#rests[stream] = Buffer.alloc(0);
    if (rest.length > 0) this.#write(stream, Buffer.concat([rest, Buffer.of(NEWLINE)]));
  }
}

/** The end of a command, as text for a note. */
export function howCommandEnded(outcome: ExecOutcome): string {
  switch (outcome.type) {
    case 'exited':
      return `exit code ${outcome.exitCode}`;
    case 'timedOut':
      return 'killed: it timed out';
    case 'failedToStart':
      return outcome.error;
    case 'aborted':
      return 'killed: its container is ending';
    default:
      return outcome satisfies never;
  }
}

/** True for the output of a hook's command. The response to an HTTP hook goes to the log only. */
export function isHookOutput(
  pod: StoredPod,
  { container }: InstanceRef,
  output: HandlerOutput,
): output is HookCommandOutput {
  if (output.stream === undefined || (output.handler !== 'postStart' && output.handler !== 'preStop')) return false;
  return containerSpec(pod, container).lifecycle?.[output.handler]?.exec !== undefined;
}
