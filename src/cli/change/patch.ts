import { type Command, Option } from 'commander';
import type { PatchType } from '../../api/patch/index.ts';
import { type DryRun, dryRunOption } from './dry-run.ts';
import { type OutputFlags, withOutputFlags } from '../output/output-flags.ts';
import { append } from '../select/selection-flags.ts';

/** What stands on the command line of `patch`, as it was written. */
export interface PatchFlags extends OutputFlags {
  readonly filename: readonly string[];
  readonly recursive: boolean;
  readonly namespace: string | undefined;
  readonly patch: string | undefined;
  readonly patchFile: string | undefined;
  readonly type: PatchType;
  readonly subresource: string | undefined;
  readonly dryRun: DryRun;
  readonly stateDir: string | undefined;
}

const EXAMPLES = `
Examples:
  podrun patch pod web -p '{"spec":{"containers":[{"name":"main","image":"app:2"}]}}'   # restarts that container
  podrun patch pod/web -p '{"spec":{"activeDeadlineSeconds":60}}'
  podrun patch pod/web --type=json -p '[{"op":"remove","path":"/spec/schedulingGates/0"}]'
  podrun patch pod/web --subresource=status -p '{"status":{"conditions":[{"type":"example.com/lb","status":"True"}]}}'
`;

export function registerPatch(program: Command, done: (exitCode: number) => void): void {
  const command = program
    .command('patch')
    .summary('Change fields of an object')
    .description('Changes fields of objects, also of a Pod that runs: its agent acts on the change at once.')
    .usage('(TYPE/NAME | TYPE NAME | -f FILE) (-p PATCH | --patch-file FILE) [flags]')
    .argument('[resource...]', 'which objects');
  withOutputFlags(command)
    .option('-f, --filename <file>', 'the objects of this manifest; may be given several times', append, [])
    .option('-R, --recursive', 'read folders with all that is below them', false)
    .option('-n, --namespace <name>', 'namespace of the objects (default: "default")')
    .option('-p, --patch <patch>', 'the patch, JSON or YAML')
    .option('--patch-file <file>', 'the patch is in this file; -: on standard input')
    .addOption(
      new Option('--type <type>', 'kind of patch').choices(['json', 'merge', 'strategic']).default('strategic'),
    )
    .option('--subresource <name>', 'change this part of a Pod: status, resize or ephemeralcontainers')
    .addOption(dryRunOption('only say what would come of it; see it with -o yaml'))
    .addHelpText('after', EXAMPLES)
    .action(async (words: string[], flags: Omit<PatchFlags, 'stateDir'>) => {
      const { stateDir } = program.opts<{ stateDir?: string }>();
      const { patchObjects } = await import('./patch-command.ts');
      done(await patchObjects(words, { ...flags, stateDir }));
    });
}
