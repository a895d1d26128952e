import type { Command } from 'commander';
import { outputOption } from '../select/selection-flags.ts';

/** What stands on the command line of `expect`, as it was written. */
export interface ExpectFlags {
  readonly namespace: string | undefined;
  readonly from: string | undefined;
  readonly print: boolean;
  readonly output: 'json' | 'junit' | undefined;
  readonly stateDir: string | undefined;
}

const EXAMPLES = `
Examples:
  podrun expect --print web > web.expect.yaml     # what the last run of web did, to begin with
  podrun expect web.expect.yaml                   # the Pods that the file names
  podrun expect web.expect.yaml web@1
  podrun apply -o json pod.yaml > run.ndjson; podrun expect web.expect.yaml --from run.ndjson
  podrun expect web.expect.yaml -o junit > junit.xml

Exits with 0 when all is met, with 1 when not, with 2 when the call or the file is wrong.
`;

export function registerExpect(program: Command, done: (exitCode: number) => void): void {
  program
    .command('expect')
    .summary('Check a run against what is expected to happen')
    .description('Checks runs against a file of expectations: steps in order, what must never happen, the end.')
    .usage('FILE [RUN...] [flags] | --print RUN')
    .argument('<file...>', 'the expectations; then the runs: web, web@1, uid:4f6…; none: the Pods that the file names')
    .option('--from <file>', 'take the runs from what apply -o json has printed; -: standard input')
    .option('--print', 'print expectations that a run meets', false)
    .option('-n, --namespace <name>', 'namespace of the Pods (default: "default")')
    .addOption(outputOption<'json' | 'junit'>(['json', 'junit']))
    .addHelpText('after', EXAMPLES)
    .action(async (words: string[], flags: Omit<ExpectFlags, 'stateDir'>) => {
      const { stateDir } = program.opts<{ stateDir?: string }>();
      const { expect } = await import('./expect-command.ts');
      done(await expect(words, { ...flags, stateDir }));
    });
}
