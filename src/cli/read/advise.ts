import type { Command } from 'commander';
import { outputOption } from '../select/selection-flags.ts';

/** What stands on the command line of `advise`, as it was written. */
export interface AdviseFlags {
  readonly namespace: string | undefined;
  readonly output: AdviseOutput | undefined;
  readonly stateDir: string | undefined;
}

export type AdviseOutput = 'text' | 'json' | 'patch';

const EXAMPLES = `
Examples:
  podrun advise web                       # what the latest run of web gives reason to change
  podrun advise web@1                     # the same of the run before it
  podrun advise web -o patch > patch.yaml # what can be changed in the manifest, as a strategic merge patch
  podrun advise web -o json | jq '.advice[] | select(.severity == "problem")'
`;

export function registerAdvise(program: Command, done: (exitCode: number) => void): void {
  program
    .command('advise')
    .summary('Tell what a run gives reason to change in the manifest')
    .description('Tells what to change in the manifest of a Pod, from what was measured in a run of it.')
    .usage('(POD | POD@N | pod/POD) [flags]')
    .argument('<pod>', 'the Pod, or a run of it that was replaced')
    .option('-n, --namespace <name>', 'namespace of the Pod (default: "default")')
    .addOption(outputOption<AdviseOutput>(['text', 'json', 'patch']))
    .addHelpText('after', EXAMPLES)
    .action(async (pod: string, flags: Omit<AdviseFlags, 'stateDir'>) => {
      const { stateDir } = program.opts<{ stateDir?: string }>();
      const { adviseCommand } = await import('./advise-command.ts');
      done(await adviseCommand(pod, { ...flags, stateDir }));
    });
}
