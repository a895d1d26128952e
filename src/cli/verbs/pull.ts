import type { Command } from 'commander';
import { nodeSettings, readConfigFile, readCredentialProviders } from '../../settings/index.ts';
import { AheadImages, openSupply } from '../../images/index.ts';
import { EXIT } from '../../api/index.ts';
import type { PullOutcome, PullProgress } from '../../lifecycle/index.ts';
import { containersWithPaths, loadManifests, podIn, renderManifestErrors } from '../../manifest/index.ts';
import { briefDuration, gitHubGroup, GROUP_END, pulledText, pullPhrase } from '../../print/index.ts';
import type { Cli, RunVerb } from '../base/cli.ts';
import { usageOf } from '../flags/options.ts';
import { fullNameOf } from '../image/open-images.ts';
import { append } from '../select/selection-flags.ts';
import { WaitProgress } from '../waiting/wait-progress.ts';

/** The flags of `pull`. */
interface PullFlags {
  readonly filename: readonly string[];
  readonly recursive: boolean;
  readonly config: string | undefined;
  readonly imageCredentialProviderConfig: string | undefined;
  readonly imageCredentialProviderBinDir: string | undefined;
}

const EXAMPLES = `
Images are kept in $PODRUN_IMAGE_DIR (default: ~/.local/share/podrun/images). A stored layer is not fetched
again, and an interrupted pull continues where it was. podrun takes the credentials of your docker config, of
podman's auth.json and of their credential helpers; every Pod may use what it pulled with them.

Examples:
  podrun pull 127.0.0.1:5000/team/app:1.27      # a registry of this machine may speak plain HTTP
  podrun pull -f app.yaml                       # all images of a manifest
`;

/** `podrun pull`: brings images before a Pod needs them. */
export function register(program: Command, run: RunVerb): void {
  program
    .command('pull')
    .summary('Pull images ahead')
    .description('Pulls images from their registries, so that they are stored when a Pod needs them.')
    .usage('(IMAGE... | -f FILE) [flags]')
    .argument('[images...]', 'names of images')
    .option('-f, --filename <file>', 'pull all images of this manifest; may be given several times', append, [])
    .option('-R, --recursive', 'read folders with their subfolders', false)
    .option('--config <file>', 'use this file instead of the nearest podrun.yaml in this folder and those above')
    .option('--image-credential-provider-config <file>', 'file or folder of credential provider plugins')
    .option('--image-credential-provider-bin-dir <folder>', 'the programs of those plugins')
    .addHelpText('after', EXAMPLES)
    .action((images: string[], flags: PullFlags) => run((cli) => pull(cli, images, flags)));
}

async function pull(cli: Cli, words: readonly string[], flags: PullFlags): Promise<number> {
  if (words.length === 0 && flags.filename.length === 0) throw usageOf('pull', 'must specify one of -f and IMAGE');
  const ofFiles = flags.filename.length === 0 ? [] : await imagesIn(cli, flags);
  if (ofFiles === undefined) return EXIT.usage;
  const names = [...new Set([...words, ...ofFiles].map(fullNameOf))];
  const { env, clock } = cli;
  const cwd = cli.cwd;
  const config = readConfigFile({ path: flags.config, cwd });
  const { imageSettings } = nodeSettings(config);
  const settings = { ...imageSettings, providers: readCredentialProviders(flags, cwd) };
  const supply = openSupply({ env, settings, clock });
  const images = new AheadImages(supply, settings, clock);
  let exitCode: number = EXIT.ok;
  for (const name of names) {
    if (isGitHub(cli)) cli.tell(`${gitHubGroup(`Pulling ${name}`)}\n`);
    const outcome = await pullOne(cli, images, name);
    if (outcome.ok) cli.tell(`${pulledText(outcome.image)} in ${briefDuration(outcome.pullMs)}\n`);
    if (isGitHub(cli)) cli.tell(`${GROUP_END}\n`);
    if (outcome.ok) continue;
    exitCode = EXIT.failed;
    for (const error of outcome.errors) cli.stderr.write(`error: cannot pull ${name}: ${error}\n`);
  }
  await supply.collect();
  return exitCode;
}

function isGitHub({ env, stdout }: Cli): boolean {
  return env['GITHUB_ACTIONS'] === 'true' && !stdout.isTerminal;
}

/** Pulls an image. On a terminal, shows a line about the progress. */
async function pullOne(cli: Cli, images: AheadImages, name: string): Promise<PullOutcome> {
  const { clock } = cli;
  const startMs = clock.now().monotonicMs;
  let last: PullProgress | undefined;
  const phrase = (): { text: string; key: string } => ({
    text: pullPhrase(name, last, clock.now().monotonicMs - startMs),
    key: name,
  });
  const progress = new WaitProgress({ cli, quietMs: undefined, firstMs: 500, phrase });
  try {
    return await images.pull(name, (next) => void (last = next));
  } finally {
    progress.close();
  }
}

/** The images of manifests. Undefined: they have mistakes, which are printed. */
async function imagesIn(cli: Cli, { filename, recursive }: PullFlags): Promise<string[] | undefined> {
  const { objects, errors } = await loadManifests({
    files: filename,
    recursive,
    pathOf: cli.pathOf,
    stdin: () => cli.stdin,
    forRunning: false,
  });
  if (errors.length > 0) {
    cli.stderr.write(`${renderManifestErrors(errors).join('\n')}\n`);
    return undefined;
  }
  return objects
    .flatMap(({ object }) => podIn(object)?.pod.spec ?? [])
    .flatMap((spec) => [
      ...containersWithPaths('', spec).map(([, { image }]) => image),
      ...(spec.volumes ?? []).map((volume) => volume.image?.reference),
    ])
    .filter((image) => typeof image === 'string');
}
