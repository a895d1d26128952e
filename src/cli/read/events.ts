import type { Command } from 'commander';
import { fromOption } from '../from/from-option.ts';
import type { FromFlags } from '../from/saved-objects.ts';
import { type OutputFlags, withOutputFlags } from '../output/output-flags.ts';

/** What stands on the command line of `events`, as it was written. */
export interface EventsFlags extends OutputFlags, Pick<FromFlags, 'from'> {
  readonly namespace: string | undefined;
  readonly allNamespaces: boolean;
  readonly for: string | undefined;
  readonly types: string | undefined;
  readonly watch: boolean;
  readonly headers: boolean;
  /** A moment of the past, see history/moment.ts. */
  readonly at?: string;
  readonly stateDir: string | undefined;
}

const EXAMPLES = `
Examples:
  podrun events
  podrun events --for pod/web --types=Warning
  podrun events -w
  podrun events --for pod/web --at restart:1
  podrun events --from events.json
`;

export function registerEvents(program: Command, done: (exitCode: number) => void): void {
  const command = program
    .command('events')
    .summary('List events, the latest last')
    .description('Lists the events of a namespace, the latest last.')
    .usage('[flags]');
  withOutputFlags(command)
    .addOption(fromOption())
    .option('--for <type/name>', 'only events about this object')
    .option('--types <types>', 'only events of these types: Normal, Warning')
    .option('-n, --namespace <name>', 'namespace of the events (default: "default")')
    .option('-A, --all-namespaces', 'the events of all namespaces', false)
    .option('-w, --watch', 'go on and print every event, until Ctrl-C', false)
    .option('--no-headers', 'no line of headings')
    .option('--at <moment>', 'the events that there were then: 3.2s after the creation of the Pod, restart:2, …')
    .addHelpText('after', EXAMPLES)
    .action(async (flags: Omit<EventsFlags, 'stateDir'>) => {
      const { stateDir } = program.opts<{ stateDir?: string }>();
      const { events } = await import('./events-command.ts');
      done(await events({ ...flags, stateDir }));
    });
}
