import type { Command } from 'commander';
import { formatGoDuration } from '../../api/duration.ts';
import { SETTLE_MS } from '../../lifecycle/requests/goal-watch.ts';
import { type OutputFlags, withOutputFlags } from '../output/output-flags.ts';
import { append, type SelectionFlags, withSelectionFlags } from '../select/selection-flags.ts';

/** What stands on the command line of `wait`, as it was written. */
export interface WaitFlags extends SelectionFlags, OutputFlags {
  readonly for: readonly string[];
  readonly timeout: string;
  /** How long a container that no probe vouches for must have run before its Pod counts as Ready. */
  readonly settle: string;
}

const EXAMPLES = `
Examples:
  podrun wait pod/web --for=condition=Ready --timeout=60s
  podrun wait pod/web --for=delete
  podrun wait pod/job --for=jsonpath='{.status.phase}'=Succeeded
  podrun wait pods --all --for=condition=Ready
`;

export function registerWait(program: Command, done: (exitCode: number) => void): void {
  const command = program
    .command('wait')
    .summary('Wait until Pods are as they should be')
    .description(
      'Waits until objects have a condition, a value, exist or are gone; exit code 1 when that takes too long.',
    )
    .usage('TYPE/NAME... | TYPE (NAME... | --all | -l QUERY) | -f FILE --for=CONDITION [flags]')
    .argument('[resource...]', 'which objects');
  withOutputFlags(withSelectionFlags(command))
    .option('--all', 'all objects of the type in the namespace', false)
    .option(
      '--for <condition>',
      "condition=NAME[=STATUS], delete, create or jsonpath='{PATH}'[=VALUE]; all of several must hold",
      append,
      [],
    )
    .option('--timeout <duration>', 'how long at most for all of them; 0: look once, negative: a week', '30s')
    .option(
      '--settle <duration>',
      'Ready counts once a container without readiness and startup probe has run so long; 0: at once',
      formatGoDuration(SETTLE_MS),
    )
    .addHelpText('after', EXAMPLES)
    .action(async (words: string[], flags: Omit<WaitFlags, 'stateDir'>) => {
      const { stateDir } = program.opts<{ stateDir?: string }>();
      const { wait } = await import('./wait-command.ts');
      done(await wait(words, { ...flags, stateDir }));
    });
}
