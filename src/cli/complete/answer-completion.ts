import type { Command } from 'commander';
import { homeFolder } from '../../user.ts';
import { quietly } from '../../quietly.ts';
import { EXIT } from '../../api/index.ts';
import { stateRoot } from '../../store/index.ts';
import type { Cli } from '../base/cli.ts';
import { choicesFor } from './candidates.ts';
import type { Candidate, Completions } from './completion-request.ts';
import { StoredNames } from './stored-names.ts';

/**
 * Answers a shell that asks for completions of the last word. Prints a line for each candidate, with a tab before its
 * note. The last line is `:words`, `:files` or `:folders`: it tells the shell how to go on. Errors are not reported
 * while a user types: then there are no candidates.
 */
export function answerCompletion(cli: Cli, program: Command, words: readonly string[]): number {
  const choice = choicesOrNone(cli, program, words);
  const candidates = typeof choice === 'string' ? [] : choice.map(candidateLine);
  cli.stdout.write([...candidates, `:${typeof choice === 'string' ? choice : 'words'}\n`].join(''));
  return EXIT.ok;
}

function choicesOrNone(cli: Cli, program: Command, words: readonly string[]): Completions {
  const namesIn = (stateDir: string | undefined): StoredNames =>
    new StoredNames(stateRoot({ flag: stateDir, env: cli.env, home: homeFolder() }));
  return quietly(() => choicesFor(program, words, namesIn)) ?? [];
}

function candidateLine({ value, note }: Candidate): string {
  return note === undefined || note === '' ? `${value}\n` : `${value}\t${note.replaceAll(/\s+/g, ' ')}\n`;
}
