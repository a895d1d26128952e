import type { Command } from 'commander';
import { EXIT } from '../../api/index.ts';
import { imageTable } from '../../print/index.ts';
import type { Cli, RunVerb } from '../base/cli.ts';
import { displayNowMs } from '../base/environment.ts';
import { openImages } from '../image/open-images.ts';
import { outputOption } from '../select/selection-flags.ts';

const EXAMPLES = `
Examples:
  podrun images
  podrun images -o wide         # with digests, and how the files are owned
`;

type ImagesOutput = 'wide' | 'json';

/** `podrun images`: lists the images that were pulled or loaded. */
export function register(program: Command, run: RunVerb): void {
  program
    .command('images')
    .summary('List pulled images')
    .description('Lists the images that were pulled or loaded.')
    .usage('[flags]')
    .addOption(outputOption<ImagesOutput>(['wide', 'json']))
    .addHelpText('after', EXAMPLES)
    .action((flags: { readonly output: ImagesOutput | undefined }) => run((cli) => images(cli, flags.output)));
}

function images(cli: Cli, output: ImagesOutput | undefined): number {
  const images = openImages(cli).list();
  if (output === 'json') cli.stdout.write(`${JSON.stringify({ images: images }, undefined, 4)}\n`);
  else if (images.length === 0) cli.note('No images images');
  else cli.stdout.write(imageTable(images, output === 'wide', displayNowMs(cli)));
  return EXIT.ok;
}
