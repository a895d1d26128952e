import { type Command, InvalidArgumentError, Option } from 'commander';
import { type OutputFlags, withOutputFlags } from '../output/output-flags.ts';
import { append } from '../select/selection-flags.ts';
import { type DryRun, dryRunOption } from './dry-run.ts';

/** What stands on the command line of `replace`, as it was written. */
export interface ReplaceFlags extends OutputFlags {
  readonly filename: readonly string[];
  readonly recursive: boolean;
  readonly namespace: string | undefined;
  /** Delete, and make anew. */
  readonly force: boolean;
  /** Seconds; undefined: as the Pod says. */
  readonly gracePeriod: number | undefined;
  readonly timeout: string | undefined;
  readonly image: readonly string[];
  readonly config: string | undefined;
  readonly validate: 'strict' | 'warn' | 'ignore';
  readonly dryRun: DryRun;
  readonly stateDir: string | undefined;
}

const EXAMPLES = `
Of a Pod that runs, only images, tolerations and deadlines may change, and nothing that it has may be
missing: begin with what 'podrun get -o yaml' prints. Everything else takes --force.

Examples:
  podrun replace --force -f pod.yaml      # ends the Pod gracefully, and runs the new one in the background
  podrun get pod web -o yaml | sed 's/nginx:1.27/nginx:1.28/' | podrun replace -f -
  podrun replace -f settings.yaml --dry-run=server -o yaml
`;

export function registerReplace(program: Command, done: (exitCode: number) => void): void {
  const command = program
    .command('replace')
    .summary('Put objects in the place of those that are there')
    .description('Puts the objects of manifests in the place of those of the same name, as they are written.')
    .usage('-f FILE|DIR|- | FILE... [flags]')
    .argument('[files...]', 'manifests, folders of manifests, or - for standard input');
  withOutputFlags(command)
    .option('-f, --filename <file>', 'the same; may be given several times', append, [])
    .option('-R, --recursive', 'read folders with all that is below them', false)
    .option('-n, --namespace <name>', 'namespace of objects that name none')
    .option('--force', 'delete what is there, and make it anew; Pods run in the background', false)
    .option('--grace-period <seconds>', 'with --force: time that a Pod gets to end', seconds)
    .option('--timeout <duration>', 'with --force: how long to wait at most until it has (default: "5m")')
    .option('--image <name=command>', 'with --force: program of an image, as with apply', append, [])
    .option('--config <file>', 'with --force: this file in place of the podrun.yaml found upward from here')
    .addOption(
      new Option('--validate <mode>', 'unknown and duplicate fields')
        .choices(['strict', 'warn', 'ignore'])
        .default('strict'),
    )
    .addOption(dryRunOption('only say what would come of it; see it with -o yaml'))
    .addHelpText('after', EXAMPLES)
    .action(async (files: string[], flags: Omit<ReplaceFlags, 'stateDir'>) => {
      const { stateDir } = program.opts<{ stateDir?: string }>();
      const { replaceObjects } = await import('./replace-command.ts');
      done(await replaceObjects({ ...flags, filename: [...flags.filename, ...files], stateDir }));
    });
}

function seconds(text: string): number {
  if (/^\d+$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It is a number of seconds.');
}
