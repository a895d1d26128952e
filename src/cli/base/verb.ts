import type { Command } from 'commander';
import type { Cli } from './cli.ts';

/** A command of podrun. Each file in `cli/verbs` holds one: its flags, its help, and its work. */
export interface Verb {
  /** Adds the command to the program, with an action that calls `run`. */
  register(program: Command, run: RunVerb): void;
}

/** Does the work of a verb and keeps the exit code that the work answers. */
export type RunVerb = (work: (cli: Cli) => number | Promise<number>) => Promise<void>;
