import type { Command } from 'commander';
import { outputOption } from '../select/selection-flags.ts';

/** What stands on the command line of `diff`, as it was written. */
export interface DiffFlags {
  readonly namespace: string | undefined;
  readonly tolerance: string;
  readonly toleranceMin: string;
  readonly output: 'json' | undefined;
  readonly stateDir: string | undefined;
}

const EXAMPLES = `
Examples:
  podrun diff web@1 web                   # what the last run did otherwise than the one before
  podrun diff web@1 web --tolerance 50%
  podrun diff good.ndjson web             # a stream that apply -o json has printed, and a run on record
  podrun diff web api -o json | jq -r '.differences[].what'

Exits with 0 when both went the same way, with 1 when they did not, with 2 when the call is wrong or a run
is not there.
`;

export function registerDiff(program: Command, done: (exitCode: number) => void): void {
  program
    .command('diff')
    .summary('Compare two runs by what happened')
    .description('Compares two runs: phases, conditions, restarts, exits, events, order, times; and their manifests.')
    .usage('RUN RUN [flags]')
    .argument('<run...>', 'two runs: web, web@1, uid:4f6…, or a file with what apply -o json has printed')
    .option('-n, --namespace <name>', 'namespace of the Pods (default: "default")')
    .option('--tolerance <share>', 'times may differ by this share', '20%')
    .option('--tolerance-min <duration>', 'and by this much in any case', '500ms')
    .addOption(outputOption<'json'>(['json']))
    .addHelpText('after', EXAMPLES)
    .action(async (runs: string[], flags: Omit<DiffFlags, 'stateDir'>) => {
      const { stateDir } = program.opts<{ stateDir?: string }>();
      const { diff } = await import('./diff-command.ts');
      done(await diff(runs, { ...flags, stateDir }));
    });
}
