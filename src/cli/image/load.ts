import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import type { Command } from 'commander';
import { goArch } from '../../settings/index.ts';
import { EXIT, usage } from '../../api/index.ts';
import { findLayerKind, loadImages } from '../../images/index.ts';
import { unreadableFile } from '../../store/index.ts';
import type { Cli } from '../base/cli.ts';
import type { RunVerb } from '../base/verb.ts';
import { withWaitingLine } from '../waiting/wait-progress.ts';
import { openImages } from './open-images.ts';

const EXAMPLES = `
Reads archives of docker save, podman save, and of skopeo copy to oci-archive: or docker-archive:, compressed or not.

Examples:
  docker save app:dev | podrun image load
  podrun image load -i app.tar
`;

/** `podrun image load`: loads images from an archive. */
export function addLoad(group: Command, run: RunVerb): void {
  group
    .command('load')
    .summary('Load images from an archive')
    .description('Loads the images of an archive under the names that they have in it.')
    .usage('[-i FILE]')
    .option('-i, --input <file>', 'the archive (default: standard input)')
    .addHelpText('after', EXAMPLES)
    .action(({ input = '-' }: { readonly input?: string }) => run((cli) => load(cli, input)));
}

async function load(cli: Cli, input: string): Promise<number> {
  if (input === '-' && cli.stdin.isTTY === true) {
    throw usage('standard input is a terminal, and no archive', 'For example: docker save app:dev | podrun image load');
  }
  const archive = input === '-' ? cli.stdin : await openArchive(input);
  const kind = await findLayerKind();
  const platform = { os: 'linux', architecture: goArch() };
  const tools = { store: openImages(cli), clock: cli.clock, kind, platform };
  const images = await withWaitingLine(cli, 'loading images', () => loadImages(archive, tools));
  for (const { name } of images) cli.tell(`image ${JSON.stringify(name)} loaded\n`);
  return EXIT.ok;
}

/** Opens a file or a FIFO. @throws {PodrunError} */
async function openArchive(input: string): Promise<Readable> {
  const file = await open(input).catch((error: unknown) => {
    throw unreadableFile(input, error);
  });
  const stats = await file.stat();
  if (!stats.isDirectory()) return file.createReadStream();
  await file.close();
  throw usage(`cannot read ${input}: is a directory`);
}
