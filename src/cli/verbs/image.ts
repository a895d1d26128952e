import type { Command } from 'commander';
import { addInspect } from '../image/inspect.ts';
import { addLoad } from '../image/load.ts';
import { addPrune, addRemove } from '../image/remove.ts';
import type { RunVerb } from '../base/verb.ts';

const EXAMPLES = `
Examples:
  podrun image inspect docker.io/library/nginx:1.27
  podrun image prune
`;

/** `podrun image`: loads, shows and removes images. */
export function register(program: Command, run: RunVerb): void {
  const group = program
    .command('image')
    .summary('Load, show or remove images')
    .description('Loads images from archives, shows and removes them.')
    .usage('COMMAND [flags]')
    .helpCommand(false)
    .addHelpText('after', EXAMPLES);
  addLoad(group, run);
  addInspect(group, run);
  addRemove(group, run);
  addPrune(group, run);
}
