import { authorHere } from '../../apiserver/index.ts';
import type { DeletionAuthor } from '../../lifecycle/index.ts';
import type { Cli } from './cli.ts';

/** The author of what this command deletes. */
export function authorOfCommand({ env, line: { argv } }: Cli): DeletionAuthor {
  return authorHere(['podrun', ...argv].join(' '), env);
}
