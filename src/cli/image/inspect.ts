import type { Command } from 'commander';
import { EXIT } from '../../api/index.ts';
import { PullRecords, Uses } from '../../images/index.ts';
import { permittedUsers } from '../../lifecycle/index.ts';
import type { Cli } from '../base/cli.ts';
import type { RunVerb } from '../base/verb.ts';
import { fullNameOf, openImages } from './open-images.ts';

const EXAMPLES = `
Examples:
  podrun image inspect nginx:1.27
`;

/** `podrun image inspect`: prints all that is known of images. */
export function addInspect(group: Command, run: RunVerb): void {
  group
    .command('inspect')
    .summary('Print the configuration and the layers of images')
    .description(
      'Prints names, digests, configurations, layers and users of images as JSON, and the Pods that may use them.',
    )
    .usage('IMAGE...')
    .argument('<images...>', 'names of images')
    .addHelpText('after', EXAMPLES)
    .action((words: string[]) => run((cli) => inspect(cli, words)));
}

function inspect(cli: Cli, words: readonly string[]): number {
  const store = openImages(cli);
  const uses = new Uses(store.root);
  const records = new PullRecords(store);
  let exitCode: number = EXIT.ok;
  const found = words.flatMap((word) => {
    const image = store.find(fullNameOf(word));
    if (image !== undefined) {
      const mayBeUsedBy = permittedUsers(records.accessOf(image.configDigest), records.isBegun(image.name));
      const usedBy = uses.usersOf(image.manifest);
      return { ...image, layers: image.config.rootfs.diff_ids, usedBy, mayBeUsedBy };
    }
    exitCode = EXIT.failed;
    cli.stderr.write(`error: image ${JSON.stringify(word)} not found\n`);
    return [];
  });
  cli.stdout.write(`${JSON.stringify(found, undefined, 4)}\n`);
  return exitCode;
}
