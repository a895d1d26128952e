import path from 'node:path';
import type { Command } from 'commander';
import type { Clock } from '../../clock.ts';
import type { GlobalFlags } from './global-flags.ts';
import { Output } from './output.ts';
import type { Process } from './process.ts';

/** The words of a command line. */
interface CommandLine {
  /** All words, without the program. */
  readonly argv: readonly string[];
  /** The words behind `--`: the command line of another program. Undefined: there is no `--`. */
  readonly command: readonly string[] | undefined;
}

/** A call of podrun: its process, its command line, and the flags that every command takes. */
export class Cli {
  readonly stdout: Output;
  readonly stderr: Output;
  readonly line: CommandLine;
  readonly flags: GlobalFlags;
  readonly clock: Clock;
  readonly #host: Process;

  constructor(host: Process, line: CommandLine, flags: GlobalFlags, clock: Clock = host.clock) {
    this.#host = host;
    this.clock = clock;
    this.stdout = new Output(host.stdout);
    this.stderr = new Output(host.stderr, { breaksMessages: true });
    this.line = line;
    this.flags = flags;
  }

  get env(): Process['env'] {
    return this.#host.env;
  }

  /** The folder of the built program. */
  get folder(): string {
    return this.#host.folder;
  }

  /** The signals of podrun. */
  get signals(): Process['signals'] {
    return this.#host.signals;
  }

  /** The current folder. */
  get cwd(): string {
    return this.#host.cwd;
  }

  /** The absolute path of a file that the user names. */
  readonly pathOf = (file: string): string =>
    file === '' || path.isAbsolute(file) ? file : path.join(this.#host.cwd, file);

  get podrun(): Process['podrun'] {
    return this.#host.podrun;
  }

  /** Standard input. Its first use loads Node's streams. */
  get stdin(): Process['stdin'] {
    return this.#host.stdin;
  }

  /** True with --quiet: podrun prints only errors and the output that the user asked for. */
  get isQuiet(): boolean {
    return this.flags.quiet === true;
  }

  /** The same call with --quiet. */
  silenced(): Cli {
    return new Cli(this.#host, this.line, { ...this.flags, quiet: true }, this.clock);
  }

  /** The same call with another clock. */
  at(clock: Clock): Cli {
    return new Cli(this.#host, this.line, this.flags, clock);
  }

  /** True with --verbose: podrun prints its decisions and their reasons. */
  get isVerbose(): boolean {
    return this.flags.verbose === true;
  }

  /** Prints a result. With --quiet, prints it only in a format that the user asked for, such as `-o name`. */
  tell(text: string, format?: string): void {
    if (format !== undefined || !this.isQuiet) this.stdout.write(text);
  }

  /** Writes a remark to standard error. --quiet silences it. */
  readonly note = (text: string): void => {
    if (!this.isQuiet) this.stderr.write(`${text}\n`);
  };

  /** Writes a warning to standard error, in kubectl's form. */
  readonly warn = (text: string): void => this.note(`Warning: ${text}`);

  /** Writes a decision to standard error, only with --verbose. */
  detail(text: string): void {
    if (this.isVerbose) this.stderr.write(`podrun: ${text}\n`);
  }
}

/** A command of podrun. Each file in `cli/verbs` holds one: its flags, its help, and its work. */
export interface Verb {
  /** Adds the command to the program, with an action that calls `run`. */
  register(program: Command, run: RunVerb): void;
}

/** Does the work of a verb and keeps the exit code that the work returns. */
export type RunVerb = (work: (cli: Cli) => number | Promise<number>) => Promise<void>;
