import { inBackground } from '../../defects.ts';
import type { GoalCommand } from '../../engine/index.ts';
import { type Alarm, machineClock } from '../../clock.ts';
import { type OutputStream, startCommand, type WholeCommand } from '../../runtime/index.ts';
import type { Cli } from '../base/cli.ts';
import type { ApplyView } from '../view/apply-view.ts';

/** The time to wait for late output of background processes of COMMAND, milliseconds. */
const LATE_OUTPUT_MS = 500;
/** The time that COMMAND has to end after SIGTERM, milliseconds. */
const STOP_MS = 10_000;
/** The number of unread bytes above which COMMAND waits for a slow reader of podrun's output. */
const WAITING_BYTES_MAX = 64 * 1024;
const KEPT_BYTES_MAX = 256 * 1024;

export interface GoalCommandOptions {
  readonly cli: Cli;
  readonly argv: readonly [string, ...string[]];
  readonly view: ApplyView;
  /** The variables for COMMAND beside podrun's own environment. Called when COMMAND starts. */
  readonly variables: () => Promise<Readonly<Record<string, string>>>;
  /** True keeps the output of COMMAND for a report. COMMAND writes directly to a terminal: that output is not kept. */
  readonly keepsOutput: boolean;
  /** Called when the Pods have reached the goal, before COMMAND starts. */
  readonly onStart: () => void;
}

/** The part of a report about COMMAND. */
export interface CommandRecord {
  /** Milliseconds since 1970. */
  readonly startedAtMs: number;
  /** The run time until the end of COMMAND, or until now. */
  readonly durationMs: number;
  /** The end of the output: standard output and standard error in the order of their arrival. */
  readonly output: string;
}

/** The COMMAND of the user. It runs in the user's terminal, environment and folder. */
export class UserCommand implements GoalCommand {
  readonly #options: GoalCommandOptions;
  readonly #output = new TextTail(KEPT_BYTES_MAX);
  #running: WholeCommand | undefined;
  #isStopped = false;
  /** Kills COMMAND when it does not end on SIGTERM. */
  #alarm: Alarm | undefined;
  #started: { readonly wallMs: number; readonly monotonicMs: number } | undefined;
  #endedAtMs: number | undefined;

  constructor(options: GoalCommandOptions) {
    this.#options = options;
  }

  /** Runs COMMAND. Resolves with the exit code. */
  async run(): Promise<number> {
    const { cli, argv, view, variables, onStart, keepsOutput } = this.#options;
    const { clock } = cli;
    onStart();
    view.commandStarts(argv);
    this.#started = clock.now();
    const env = { ...cli.env, ...(await variables()) };
    const output = keepsOutput || !cli.stdout.isInherited ? this.#takers() : {};
    const request = { argv, env, cwd: cli.cwd, interactive: cli.stdin.isTTY === true, output };
    const outcome = await startCommand(request, machineClock(clock));
    if (!outcome.ok) {
      this.#endedAtMs = clock.now().monotonicMs;
      this.#output.add(Buffer.from(`${outcome.error}\n`));
      view.trouble(outcome.error);
      return outcome.exitCode;
    }
    this.#running = outcome.command;
    if (this.#isStopped) this.stop({ force: false });
    const exitCode = await this.#running.exitCode;
    this.#alarm?.cancel();
    this.#endedAtMs = clock.now().monotonicMs;
    await this.#running.swept;
    await this.#outputTaken();
    return exitCode;
  }

  stop({ force }: { readonly force: boolean }): void {
    this.#isStopped = true;
    const command = this.#running;
    if (command === undefined) return;
    if (force) return command.forward('SIGKILL');
    command.forward('SIGTERM');
    const clock = machineClock(this.#options.cli.clock);
    this.#alarm ??= clock.wakeAt(clock.now().monotonicMs + STOP_MS, () => command.forward('SIGKILL'));
  }

  /** The record of COMMAND. Undefined when COMMAND was not started. */
  get record(): CommandRecord | undefined {
    if (this.#started === undefined) return undefined;
    const untilMs = this.#endedAtMs ?? this.#options.cli.clock.now().monotonicMs;
    const durationMs = untilMs - this.#started.monotonicMs;
    return { startedAtMs: this.#started.wallMs, durationMs, output: this.#output.text };
  }

  #takers(): { [Stream in OutputStream]?: (chunk: Buffer) => Promise<void> | undefined } {
    const { stdout, stderr } = this.#options.cli;
    stdout.open();
    stderr.open();
    return {
      ...(stdout.isTerminal ? {} : { stdout: (chunk) => this.#take(stdout, chunk) }),
      ...(stderr.isTerminal ? {} : { stderr: (chunk) => this.#take(stderr, chunk) }),
    };
  }

  #take(output: Cli['stdout'], chunk: Buffer): Promise<void> | undefined {
    this.#output.add(chunk);
    output.write(chunk);
    return output.waitingBytes > WAITING_BYTES_MAX ? output.flush() : undefined;
  }

  /** Waits for the rest of the output, up to the limit: a background process of COMMAND may hold the pipe for ever. */
  async #outputTaken(): Promise<void> {
    const clock = machineClock(this.#options.cli.clock);
    const late = new Promise<void>((resolve) => {
      const alarm = clock.wakeAt(clock.now().monotonicMs + LATE_OUTPUT_MS, resolve);
      inBackground(
        this.#running?.outputTaken.then(() => {
          alarm.cancel();
          resolve();
        }),
      );
    });
    await late;
  }
}

/** Keeps the end of a text of any length. */
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
    // Cuts rarely, because each cut copies the text.
    if (this.#bytes > 2 * this.#maxBytes) this.#cut();
  }

  /** The kept text. Whole lines behind a first line about the gap, when the beginning is missing. */
  get text(): string {
    if (this.#bytes > this.#maxBytes) this.#cut();
    const text = Buffer.concat(this.#chunks).toString();
    return this.#isCut ? `… earlier output is not kept\n${text.slice(text.indexOf('\n') + 1)}` : text;
  }

  #cut(): void {
    const end = Buffer.from(Buffer.concat(this.#chunks).subarray(-this.#maxBytes));
    this.#chunks = [end];
    this.#bytes = end.length;
    this.#isCut = true;
  }
}
