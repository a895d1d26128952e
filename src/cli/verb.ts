import type { Command } from 'commander';

/** A command of podrun. Each file in `cli/verbs` holds one: its flags, its help, and its work. */
export interface Verb {
  /** Adds the command to the program, with an action that calls `run`. */
  register(program: Command, run: RunVerb): void;
}

/**
 * Does the work of a verb and keeps the exit code that the work answers.
 * `command` are the words behind `--`: the command line of another program. Undefined: there is no `--`.
 */
export type RunVerb = (work: (command: readonly string[] | undefined) => number | Promise<number>) => Promise<void>;
