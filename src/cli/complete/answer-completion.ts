import { homedir } from 'node:os';
import type { Command } from 'commander';
import { EXIT } from '../../api/errors.ts';
import { stateRoot } from '../../store/layout.ts';
import { StandardOutput } from '../standard-output.ts';
import { choicesFor } from './candidates.ts';
import type { Candidate, Completions } from './completion-request.ts';
import { StoredNames } from './stored-names.ts';

/**
 * Answers a shell that asks for completions of the last word. Prints a line for each candidate, with a tab before its
 * note. The last line is `:words`, `:files` or `:folders`: it tells the shell how to go on. Errors are not reported
 * while a user types: then there are no candidates.
 */
export function answerCompletion(program: Command, words: readonly string[]): number {
  const choice = choicesOrNone(program, words);
  const candidates = typeof choice === 'string' ? [] : choice.map(candidateLine);
  new StandardOutput().write([...candidates, `:${typeof choice === 'string' ? choice : 'words'}\n`].join(''));
  return EXIT.ok;
}

function choicesOrNone(program: Command, words: readonly string[]): Completions {
  try {
    return choicesFor(program, words, (stateDir) => {
      return new StoredNames(stateRoot({ flag: stateDir, env: process.env, home: homedir() }));
    });
  } catch {
    return [];
  }
}

function candidateLine({ value, note }: Candidate): string {
  return note === undefined || note === '' ? `${value}\n` : `${value}\t${note.replaceAll(/\s+/g, ' ')}\n`;
}
