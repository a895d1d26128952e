import type { Clock } from '../clock.ts';
import type { HookRun } from '../lifecycle/hook-run.ts';
import type { ProbeType } from '../lifecycle/probes/probe.ts';
import type { ExecOutcome, OutputStream } from '../runtime/runtime.ts';

export type HookName = HookRun['hook'];

/** Lines of a hook or probe. "Handler" is Kubernetes' word for the action of either. */
export interface HandlerSaying {
  readonly handler: HookName | ProbeType;
  /** Undefined: a note of podrun about the handler. */
  readonly stream: OutputStream | undefined;
  /** Whole lines, each with its newline. */
  readonly lines: Buffer;
}

/** A line without an end is passed on when it has grown this long. */
const LINE_BYTES_MAX = 16 * 1024;
const NEWLINE = 10;

/**
 * What one run of a hook or probe says, made into whole lines: those of several handlers then never mix within a line.
 * Its notes are podrun's own words about it.
 */
export class HandlerVoice {
  readonly #clock: Clock;
  readonly #say: (stream: OutputStream | undefined, lines: Buffer) => void;
  readonly #beganMs: number;
  /** Lines whose ends are still to come. */
  readonly #rests: Record<OutputStream, Buffer> = { stdout: Buffer.alloc(0), stderr: Buffer.alloc(0) };

  constructor(clock: Clock, say: (stream: OutputStream | undefined, lines: Buffer) => void) {
    this.#clock = clock;
    this.#say = say;
    this.#beganMs = clock.now().monotonicMs;
  }

  /** A piece of output, as it arrives. */
  readonly output = (stream: OutputStream, chunk: Buffer): void => {
    const bytes = Buffer.concat([this.#rests[stream], chunk]);
    const end = bytes.lastIndexOf(NEWLINE) + 1;
    if (end > 0) this.#say(stream, bytes.subarray(0, end));
    this.#rests[stream] = bytes.subarray(end);
    if (this.#rests[stream].length > LINE_BYTES_MAX) this.#flush(stream);
  };

  /** For example `begins: sleep 5s`. */
  note(text: string): void {
    this.#say(undefined, Buffer.from(`${text.trimEnd().replaceAll('\n', ' ')}\n`));
  }

  /** It is over: the lines that have no end, then, where that is worth a note, how it ended and how long it took. */
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
    if (rest.length > 0) this.#say(stream, Buffer.concat([rest, Buffer.of(NEWLINE)]));
  }
}

/** How a command ended, for a note. */
export function howCommandEnded(outcome: ExecOutcome): string {
  switch (outcome.type) {
    case 'exited':
      return `exit code ${outcome.exitCode}`;
    case 'timedOut':
      return 'killed, its time was up';
    case 'failedToStart':
      return outcome.error;
    case 'aborted':
      return 'killed, its container is at its end';
    default:
      return outcome satisfies never;
  }
}
