import type { GoalCommand } from '../../agent/apply-run.ts';
import type { Clock } from '../../clock.ts';
import { type RunningCommand, startCommand } from '../../runtime/command.ts';
import type { OutputStream } from '../../runtime/runtime.ts';
import { flush, isTerminal, openStreams, print, waitingBytes } from '../standard-streams.ts';
import type { ApplyView } from '../view/apply-view.ts';

/** How long output is waited for that something in the background of COMMAND may still write, milliseconds. */
const LATE_OUTPUT_MS = 500;
/** COMMAND waits for a slow reader of podrun's output when so many bytes wait for that. */
const WAITING_BYTES_MAX = 64 * 1024;
const KEPT_BYTES_MAX = 256 * 1024;

export interface GoalCommandOptions {
  readonly argv: readonly [string, ...string[]];
  readonly view: ApplyView;
  readonly clock: Clock;
  /** The variables that COMMAND gets beside podrun's own. Asked for when it starts. */
  readonly variables: () => Readonly<Record<string, string>>;
  /** Keep what COMMAND writes, for a report. A terminal stays COMMAND's own: what is written there is not kept. */
  readonly keepsOutput: boolean;
  /** Called when the Pods are as they should be, before COMMAND runs. */
  readonly onStart: () => void;
}

/** What a report tells of COMMAND. */
export interface CommandRecord {
  /** Milliseconds since 1970. */
  readonly startedAtMs: number;
  /** How long it ran, or has run so far. */
  readonly durationMs: number;
  /** The end of what it wrote, standard output and standard error as they came. */
  readonly output: string;
}

/** The user's COMMAND: run in the user's terminal, environment and folder. */
export class UserCommand implements GoalCommand {
  readonly #options: GoalCommandOptions;
  readonly #output = new TextTail(KEPT_BYTES_MAX);
  #running: RunningCommand | undefined;
  #isStopped = false;
  #started: { readonly wallMs: number; readonly monotonicMs: number } | undefined;
  #endedAtMs: number | undefined;

  constructor(options: GoalCommandOptions) {
    this.#options = options;
  }

  /** Resolves with the exit code. */
  async run(): Promise<number> {
    const { argv, view, clock, variables, onStart, keepsOutput } = this.#options;
    onStart();
    view.commandStarts(argv);
    this.#started = clock.now();
    const env = { ...process.env, ...variables() };
    const output = keepsOutput ? this.#takers() : {};
    const outcome = await startCommand({ argv, env, cwd: process.cwd(), interactive: process.stdin.isTTY, output });
    if (!outcome.ok) {
      this.#endedAtMs = clock.now().monotonicMs;
      this.#output.add(Buffer.from(`${outcome.error}\n`));
      view.trouble(outcome.error);
      return outcome.exitCode;
    }
    this.#running = outcome.command;
    if (this.#isStopped) this.#running.forward('SIGTERM');
    const exitCode = await this.#running.exitCode;
    this.#endedAtMs = clock.now().monotonicMs;
    await this.#outputTaken();
    return exitCode;
  }

  stop(): void {
    this.#isStopped = true;
    this.#running?.forward('SIGTERM');
  }

  /** Undefined: it was not started. */
  get record(): CommandRecord | undefined {
    if (this.#started === undefined) return undefined;
    const untilMs = this.#endedAtMs ?? this.#options.clock.now().monotonicMs;
    const durationMs = untilMs - this.#started.monotonicMs;
    return { startedAtMs: this.#started.wallMs, durationMs, output: this.#output.text };
  }

  #takers(): { [Stream in OutputStream]?: (chunk: Buffer) => Promise<void> | undefined } {
    openStreams();
    return {
      ...(isTerminal('stdout') ? {} : { stdout: (chunk) => this.#take('stdout', chunk) }),
      ...(isTerminal('stderr') ? {} : { stderr: (chunk) => this.#take('stderr', chunk) }),
    };
  }

  #take(stream: OutputStream, chunk: Buffer): Promise<void> | undefined {
    this.#output.add(chunk);
    print(stream, chunk);
    return waitingBytes(stream) > WAITING_BYTES_MAX ? flush(stream) : undefined;
  }

  /** A program that COMMAND leaves behind may hold its output for as long as it likes. */
  async #outputTaken(): Promise<void> {
    const { clock } = this.#options;
    const late = new Promise<void>((resolve) => {
      const alarm = clock.wakeAt(clock.now().monotonicMs + LATE_OUTPUT_MS, resolve);
      void this.#running?.outputTaken.then(() => {
        alarm.cancel();
        resolve();
      });
    });
    await late;
  }
}

/** The end of a text that comes in pieces, of any length. */
class TextTail {
  readonly #maxBytes: number;
  #chunks: Buffer[] = [];
  #bytes = 0;
  #isCut = false;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  add(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    // Now and then, so that many small pieces are not copied each time.
    if (this.#bytes > 2 * this.#maxBytes) this.#cut();
  }

  /** Whole lines, where the beginning is missing: a first line says so. */
  get text(): string {
    if (this.#bytes > this.#maxBytes) this.#cut();
    const text = Buffer.concat(this.#chunks).toString();
    return this.#isCut ? `… what came before is not kept\n${text.slice(text.indexOf('\n') + 1)}` : text;
  }

  #cut(): void {
    const end = Buffer.from(Buffer.concat(this.#chunks).subarray(-this.#maxBytes));
    this.#chunks = [end];
    this.#bytes = end.length;
    this.#isCut = true;
  }
}
