import type { Command } from 'commander';
import { EXIT, PodrunError } from '../../api/index.ts';
import { sweep, Uses } from '../../images/index.ts';
import type { Cli, RunVerb } from '../base/cli.ts';
import { reportError } from '../base/report-error.ts';
import { fullNameOf, openImages } from './open-images.ts';

const REMOVE_EXAMPLES = `
Layers that other images share stay.

Examples:
  podrun image rm nginx:1.27
`;

const PRUNE_EXAMPLES = `
Examples:
  podrun image prune            # what interrupted pulls and removed images have left
  podrun image prune --all      # all images that no container uses, too
`;

/** `podrun image rm`: removes images. */
export function addRemove(group: Command, run: RunVerb): void {
  group
    .command('rm')
    .summary('Remove images')
    .description('Removes images that no container uses.')
    .usage('IMAGE...')
    .argument('<images...>', 'names of images')
    .addHelpText('after', REMOVE_EXAMPLES)
    .action((words: string[]) => run((cli) => remove(cli, words)));
}

/** `podrun image prune`: removes what no image needs, and with --all the unused images. */
export function addPrune(group: Command, run: RunVerb): void {
  group
    .command('prune')
    .summary('Remove leftovers, or all unused images')
    .description('Removes layers that no image needs, and with --all images that no container uses.')
    .usage('[flags]')
    .option('-a, --all', 'all images that no container uses', false)
    .addHelpText('after', PRUNE_EXAMPLES)
    .action(({ all }: { readonly all: boolean }) => run((cli) => prune(cli, all)));
}

async function remove(cli: Cli, words: readonly string[]): Promise<number> {
  const store = openImages(cli);
  const uses = new Uses(store.root);
  let exitCode: number = EXIT.ok;
  for (const word of words) {
    const name = fullNameOf(word);
    const record = store.record(name);
    const users = record === undefined ? [] : uses.usersOf(record.manifest);
    if (record === undefined) {
      const hint = "'podrun images' lists the stored images.";
      exitCode = reportError(
        cli.stderr,
        new PodrunError('NotFound', `image ${JSON.stringify(word)} not found`, { hint }),
      );
    } else if (users.length > 0) {
      const message = `image ${JSON.stringify(word)} is in use by ${users.join(', ')}`;
      exitCode = reportError(cli.stderr, new PodrunError('Conflict', message));
    } else {
      store.removeName(name);
      cli.tell(`image ${JSON.stringify(name)} deleted\n`);
    }
  }
  await sweep(store);
  return exitCode;
}

async function prune(cli: Cli, isAll: boolean): Promise<number> {
  const store = openImages(cli);
  const uses = new Uses(store.root);
  const unused = isAll ? store.records().filter(({ manifest }) => uses.usersOf(manifest).length === 0) : [];
  for (const { name } of unused) {
    store.removeName(name);
    cli.tell(`image ${JSON.stringify(name)} deleted\n`);
  }
  const layers = await sweep(store);
  cli.tell(`${layers} ${layers === 1 ? 'layer' : 'layers'} deleted\n`);
  return EXIT.ok;
}
