import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import type { Command } from 'commander';
import { EXIT, usage } from '../../api/index.ts';
import { findLayerKind, loadImages, PullRecords, Uses } from '../../images/index.ts';
import { permittedUsers } from '../../lifecycle/index.ts';
import { goArch } from '../../settings/index.ts';
import { unreadableFile } from '../../store/index.ts';
import type { Cli, RunVerb } from '../base/cli.ts';
import { fullNameOf, openImages } from '../image/open-images.ts';
import { addPrune, addRemove } from '../image/remove.ts';
import { withWaitingLine } from '../waiting/wait-progress.ts';

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

const INSPECT_EXAMPLES = `
Examples:
  podrun image inspect nginx:1.27
`;

/** `podrun image inspect`: prints all that is known of images. */
function addInspect(group: Command, run: RunVerb): void {
  group
    .command('inspect')
    .summary('Print the configuration and the layers of images')
    .description(
      'Prints names, digests, configurations, layers and users of images as JSON, and the Pods that may use them.',
    )
    .usage('IMAGE...')
    .argument('<images...>', 'names of images')
    .addHelpText('after', INSPECT_EXAMPLES)
    .action((words: string[]) => run((cli) => inspect(cli, words)));
}

function inspect(cli: Cli, words: readonly string[]): number {
  const store = openImages(cli);
  const uses = new Uses(store.root);
  const records = new PullRecords(store);
  let exitCode: number = EXIT.ok;
  const images = words.flatMap((word) => {
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
  cli.stdout.write(`${JSON.stringify(images, undefined, 4)}\n`);
  return exitCode;
}

const LOAD_EXAMPLES = `
Reads archives of docker save, podman save, and of skopeo copy to oci-archive: or docker-archive:, compressed or not.

Examples:
  docker save app:dev | podrun image load
  podrun image load -i app.tar
`;

/** `podrun image load`: loads images from an archive. */
function addLoad(group: Command, run: RunVerb): void {
  group
    .command('load')
    .summary('Load images from an archive')
    .description('Loads the images of an archive under the names that they have in it.')
    .usage('[-i FILE]')
    .option('-i, --input <file>', 'the archive (default: standard input)')
    .addHelpText('after', LOAD_EXAMPLES)
    .action(({ input = '-' }: { readonly input?: string }) => run((cli) => load(cli, input)));
}

async function load(cli: Cli, input: string): Promise<number> {
  if (input === '-' && cli.stdin.isTTY === true) {
    throw usage('standard input is a terminal, and no archive', 'For example: docker save app:dev | podrun image load');
  }
  const archive = input === '-' ? cli.stdin : await openArchive(cli, input);
  const kind = await findLayerKind();
  const platform = { os: 'linux', architecture: goArch() };
  const tools = { store: openImages(cli), clock: cli.clock, kind, platform };
  const images = await withWaitingLine(cli, 'loading images', () => loadImages(archive, tools));
  for (const { name } of images) cli.tell(`image ${JSON.stringify(name)} loaded\n`);
  return EXIT.ok;
}

/** Opens a file or a FIFO. @throws {PodrunError} */
async function openArchive({ pathOf }: Cli, input: string): Promise<Readable> {
  const file = await open(pathOf(input)).catch((error: unknown) => {
    throw unreadableFile(input, error);
  });
  const stats = await file.stat();
  if (!stats.isDirectory()) return file.createReadStream();
  await file.close();
  throw usage(`cannot read ${input}: is a directory`);
}
