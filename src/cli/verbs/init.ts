import { writeFileSync } from 'node:fs';
import type { Command } from 'commander';
import { EXIT, labelMessages, mostSimilar, PodrunError, usage } from '../../api/index.ts';
import {
  hasParts,
  ownManifest,
  type Part,
  PARTS,
  STARTER_KINDS,
  type StarterKind,
  starterManifest,
} from '../../manifest/index.ts';
import { append } from '../select/selection-flags.ts';
import type { Cli, RunVerb } from '../base/cli.ts';
import { usageOf } from '../flags/options.ts';

interface InitFlags {
  readonly with: readonly string[];
  readonly kind: string;
  readonly task: boolean;
  readonly output: string | undefined;
  readonly force: boolean;
}

const EXAMPLES = `
Parts, for --with:
  init        an init container, which ends before the main containers start
  sidecar     a container that runs beside the main one and stops after it
  probes      startup, readiness and liveness probe
  hooks       a preStop hook, which runs before the container stops
  volume      a folder that containers share
  configmap   settings as environment variables
  secret      a password as an environment variable
  env         variables with values and with fields of the Pod
  resources   requests and limits of CPU and memory
  all         all of these parts

Examples:
  podrun init web > web.yaml
  podrun init web --with probes,sidecar -o web.yaml && podrun apply web.yaml
  podrun init nightly --task --with configmap | podrun apply -
  podrun init web --kind deployment --with probes -o web.yaml
  podrun init report --kind cronjob -o report.yaml && podrun validate report.yaml
  podrun init shop --kind ingress -o shop.yaml && podrun apply shop.yaml --until ready
`;

/** The kinds as words, for people. */
const KINDS = STARTER_KINDS.map((kind) => kind.toLowerCase()).join(', ');

/** `podrun init`: writes a first manifest. */
export function register(program: Command, run: RunVerb): void {
  program
    .command('init')
    .summary('Write a commented manifest to start from')
    .description('Writes a manifest to start from. It runs without changes, and explains each field in a comment.')
    .usage('[NAME] [flags]')
    .argument('[name]', 'name of the object', 'app')
    .option('--kind <kind>', `the kind of the object: ${KINDS}`, 'pod')
    .option('--with <parts>', 'parts of its Pods, for example probes,sidecar; may be given several times', append, [])
    .option('--task', 'a Pod that does its work and ends, instead of a server', false)
    .option('-o, --output <file>', 'write the manifest to this new file')
    .option('--force', 'with -o: overwrite the file', false)
    .addHelpText('after', EXAMPLES)
    .action((name: string, flags: InitFlags) => run((cli) => initCommand(cli, name, flags)));
}

function initCommand(cli: Cli, name: string, flags: InitFlags): number {
  const [wrong] = labelMessages(name);
  if (wrong !== undefined) throw usageOf('init', `invalid name ${JSON.stringify(name)}: ${wrong}`);
  const { output: file, force } = flags;
  if (force && file === undefined) throw usage('--force needs -o FILE', 'It overwrites the file of -o.');
  const text = manifestFor(name, flags);
  if (file === undefined) cli.stdout.write(text);
  else {
    write(cli, file, text, force);
    cli.note(`wrote ${file}; try: podrun apply ${file}`);
  }
  return EXIT.ok;
}

function manifestFor(name: string, { task, kind: word, output: file, with: lists }: InitFlags): string {
  const kind = kindNamed(word);
  const parts = partsIn(lists);
  if (!hasParts(kind)) {
    const flag = task ? '--task' : '--with';
    const hint = `Use ${flag} with pod, ${task ? 'or use --kind job' : 'deployment, job or cronjob'}.`;
    if (task || parts.size > 0) throw usage(`${flag} and --kind ${word} cannot be used together`, hint);
    return ownManifest(kind, name, file);
  }
  if (task && kind === 'Deployment') {
    throw usage('--task and --kind deployment cannot be used together', 'Use --kind job for Pods that end.');
  }
  return starterManifest({ name, kind, parts, isTask: task || kind === 'Job' || kind === 'CronJob', file });
}

function kindNamed(word: string): StarterKind {
  const kind = STARTER_KINDS.find((known) => known.toLowerCase() === word.toLowerCase());
  if (kind !== undefined) return kind;
  throw usage(`unknown kind for a manifest: ${JSON.stringify(word)}`, `The kinds are ${KINDS}.`);
}

function partsIn(lists: readonly string[]): ReadonlySet<Part> {
  const words = lists.flatMap((list) => list.split(',')).map((word) => word.trim().toLowerCase());
  return new Set(words.flatMap(partsNamed));
}

const KNOWN = Object.keys(PARTS) as Part[];

/** Finds parts by their name or its plural: `probe`, `probes`. */
function partsNamed(word: string): readonly Part[] {
  if (word === 'all') return KNOWN;
  const part = KNOWN.find((known) => known === word || known === `${word}s` || `${known}s` === word);
  if (part !== undefined) return [part];
  const similar = mostSimilar(word, KNOWN);
  const hint = similar === undefined ? `The parts are ${KNOWN.join(', ')} and all.` : `Did you mean ${similar}?`;
  throw usage(`unknown part of a manifest: ${JSON.stringify(word)}`, hint);
}

/**
 * Writes a new file.
 * @throws {PodrunError} when the file exists, or cannot be written
 */
function write({ pathOf }: Cli, file: string, text: string, force: boolean): void {
  try {
    writeFileSync(pathOf(file), text, { flag: force ? 'w' : 'wx' });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') {
      const hint = '--force overwrites it.';
      throw new PodrunError('AlreadyExists', `${file} exists already`, { path: file, hint, cause: error });
    }
    const why = message.replaceAll(/^\w+: |, \w+ '[^]*/g, '');
    throw new PodrunError('Disk', `cannot write ${file}: ${why}`, { path: file, cause: error });
  }
}
