import path from 'node:path';
import { inBackground } from '../../defects.ts';
import { readQuietly } from '../../quietly.ts';
import { type Clock, sleep } from '../../clock.ts';
import { killGroup } from '../watch/kill.ts';
import { ENTERING_TOOLS } from '../base/inside.ts';
import type { MainProcess } from './main-process.ts';
import type { ContainerLaunch, OutputStream } from '../base/runtime.ts';

export type StartupOutcome =
  | { readonly ok: true; readonly process: MainProcess }
  /** The program did not run. `error`: the error of the tool that was to start it. */
  | { readonly ok: false; readonly error: string };

/** The time limit for the start of a program, and the interval of the checks. */
const ENTER_LIMIT_MS = 5000;
const LOOK_EVERY_MS = 0.5;

/**
 * Watches a main process until its program runs. The tools before the program (nsenter, setpriv, …) have the program's
 * output, but must not write into the container's log. A tool that fails has failed the start, and its output is the
 * reason.
 */
export class StartupWatch {
  readonly #launch: Pick<ContainerLaunch, 'argv' | 'onOutput'>;
  /** The command line of the first tool. The command line of each later one is an end of it. */
  readonly #commandLine: readonly string[];
  /** The OCI runtime that starts the program. Undefined: none does. */
  readonly #ociRuntime: string | undefined;
  /** Output that may be a tool's or the program's. */
  #early: Array<readonly [OutputStream, Buffer]> | undefined;

  /**
   * @param commandLine ends with the arguments of the launch; without more words, no tool stands before the program
   * @param ociRuntime the OCI runtime that starts the program; undefined: the tools become the program
   */
  constructor(
    launch: Pick<ContainerLaunch, 'argv' | 'onOutput'>,
    commandLine: readonly string[],
    ociRuntime: string | undefined,
  ) {
    this.#ociRuntime = ociRuntime;
    this.#launch = launch;
    this.#commandLine = commandLine;
  }

  readonly onOutput = (stream: OutputStream, chunk: Buffer): void => {
    if (this.#early === undefined) this.#launch.onOutput(stream, chunk);
    else this.#early.push([stream, Buffer.from(chunk)]);
  };

  /** Waits until the program runs or has run. */
  async untilRunning(main: MainProcess, clock: Clock): Promise<StartupOutcome> {
    const isBare = this.#ociRuntime === undefined && this.#commandLine.length === this.#launch.argv.length;
    if (isBare) return { ok: true, process: main };
    let exitCode: number | undefined;
    inBackground(main.ended.then((end) => (exitCode = end.exitCode)));
    const startMs = clock.now().monotonicMs;
    while (!this.#isProgram(main)) {
      if (exitCode !== undefined || clock.now().monotonicMs - startMs > ENTER_LIMIT_MS) break;
      await sleep(clock, LOOK_EVERY_MS);
    }
    // The tools exit with 0 only after the program.
    if (exitCode === undefined || exitCode === 0) return { ok: true, process: main };
    this.#early = [];
    killGroup(main.pid);
    await main.finishOutput();
    const text = Buffer.concat(this.#early.map(([, chunk]) => chunk)).toString();
    return this.#isOfTool(text) ? { ok: false, error: text.trim() } : { ok: true, process: this.#delayed(main) };
  }

  /** True when the process has become the program, or whatever the program has executed since. */
  #isProgram({ pid: first, programPid: pid }: MainProcess): boolean {
    // An OCI runtime stays, and its child becomes the program.
    if (this.#ociRuntime !== undefined) return pid !== first;
    const seen = commandLineOf(pid);
    if (seen.length === 0) return false;
    const before = this.#commandLine.length - seen.length;
    const isOnTheWay =
      seen.length > this.#launch.argv.length && seen.every((word, index) => word === this.#commandLine[before + index]);
    return !isOnTheWay;
  }

  /** True when the text is an error of a tool before this program. */
  #isOfTool(text: string): boolean {
    const runtime = this.#ociRuntime && path.basename(this.#ociRuntime);
    if (runtime !== undefined)
      return ['nsenter: ', 'sh: ', `${runtime}: `, `${runtime} `, 'time="'].some((own) => text.startsWith(own));
    const before = new Set(this.#commandLine.slice(0, -this.#launch.argv.length).map((word) => path.basename(word)));
    const own = path.basename(this.#launch.argv[0]);
    return ENTERING_TOOLS.some((tool) => tool !== own && before.has(tool) && text.startsWith(`${tool}: `));
  }

  /** The same process. Its early output is passed on together with the later one. */
  #delayed(main: MainProcess): MainProcess {
    const passOn = (): void => {
      const early = this.#early ?? [];
      this.#early = undefined;
      for (const [stream, chunk] of early) this.#launch.onOutput(stream, chunk);
    };
    return {
      ...main,
      finishOutput: () => {
        passOn();
        return main.finishOutput();
      },
      streams: {
        ...main.streams,
        holdOutput: (held) => {
          if (!held) passOn();
          main.streams.holdOutput(held);
        },
      },
    };
  }
}

/** The command line of a process. Empty: the process has ended, or is in the middle of execve(2). */
function commandLineOf(pid: number): string[] {
  const text = readQuietly(`/proc/${pid}/cmdline`);
  return text.split('\0').slice(0, -1);
}
