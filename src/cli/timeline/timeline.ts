import type { Command } from 'commander';
import { outputOption } from '../select/selection-flags.ts';

/** What stands on the command line of `timeline`, as it was written. */
export interface TimelineFlags {
  readonly namespace: string | undefined;
  readonly output: 'html' | 'json' | 'trace' | undefined;
  readonly stateDir: string | undefined;
}

const EXAMPLES = `
Examples:
  podrun timeline               # the Pods that lived at the same time as the latest one
  podrun timeline web
  podrun timeline web web@1     # two runs of a Pod, one below the other
  podrun timeline web -o html > web.html
  podrun timeline web -o trace > web.trace.json    # for Perfetto or chrome://tracing
  podrun timeline web -o json | jq '.criticalPath.steps[] | [.text, .toMs - .fromMs]'
`;

export function registerTimeline(program: Command, done: (exitCode: number) => void): void {
  program
    .command('timeline')
    .summary('Draw what happened to Pods, and what they waited for')
    .description(
      'Draws what happened to Pods: every attempt of every container, waiting and back-off, hooks, probes and ' +
        'conditions; and names the critical path to Ready: what had to happen one after another.',
    )
    .usage('[POD | POD@1 | uid:UID]... [flags]')
    .argument('[run...]', 'runs on record, as podrun history names them')
    .option('-n, --namespace <name>', 'namespace of the Pods (default: "default")')
    .addOption(outputOption<'html' | 'json' | 'trace'>(['html', 'json', 'trace']))
    .addHelpText('after', EXAMPLES)
    .action(async (runs: string[], flags: Omit<TimelineFlags, 'stateDir'>) => {
      const { stateDir } = program.opts<{ stateDir?: string }>();
      const { timeline } = await import('./timeline-command.ts');
      done(await timeline(runs, { ...flags, stateDir }));
    });
}
