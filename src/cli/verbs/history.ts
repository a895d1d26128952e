import type { Command } from 'commander';
import { DEFAULT_NAMESPACE, EXIT, usage } from '../../api/index.ts';
import { renderRuns, runRecord, type RunRow } from '../../print/index.ts';
import { RecordedRuns } from '../../store/index.ts';
import { displayNowMs, openStore } from '../base/environment.ts';
import { podArgument } from '../select/resource-arguments.ts';
import { outputOption } from '../select/selection-flags.ts';
import type { Cli, RunVerb } from '../base/cli.ts';
import { type ContextFlags, contextOption } from '../flags/options.ts';

interface HistoryFlags extends ContextFlags {
  readonly namespace: string | undefined;
  readonly allNamespaces: boolean;
  readonly headers: boolean;
  readonly output: 'json' | 'name' | undefined;
}

const EXAMPLES = `
Examples:
  podrun history                    # the recorded runs of every Pod
  podrun history web                # web is the latest, web@1 the one before
  podrun history web -o json | jq 'select(.phase == "Failed")'
`;

/** `podrun history`: lists the recorded runs. */
export function register(program: Command, run: RunVerb): void {
  program
    .command('history')
    .summary('List the recorded runs of Pods')
    .description('Lists the recorded runs of Pods, the latest run of each Pod first.')
    .usage('[POD...] [flags]')
    .argument('[pod...]', 'the Pods (default: all Pods of the namespace)')
    .option('-n, --namespace <name>', 'namespace of the Pods (default: "default")')
    .option('-A, --all-namespaces', 'the Pods of all namespaces', false)
    .addOption(outputOption<'json' | 'name'>(['json', 'name']))
    .option('--no-headers', 'print no headings')
    .addOption(contextOption())
    .addHelpText('after', EXAMPLES)
    .action((pods: string[], flags: HistoryFlags) => run((cli) => history(cli, pods, flags)));
}

function history(cli: Cli, words: readonly string[], flags: HistoryFlags): number {
  const names = words.map((word) =>
    podArgument(word, (plural) => `podrun records runs of Pods only, not of ${plural}`),
  );
  if (names.length > 0 && flags.allNamespaces) {
    throw usage('a resource cannot be retrieved by name across all namespaces');
  }
  const runs = new RecordedRuns(openStore(cli, flags.context));
  const namespace = flags.allNamespaces ? undefined : flags.namespace || DEFAULT_NAMESPACE;
  const listed = names.length === 0 ? runs.list({ namespace }) : names.flatMap((name) => runsOf(runs, namespace, name));
  cli.stdout.write(render(listed, flags, displayNowMs(cli)));
  if (listed.length === 0) {
    const where = namespace === undefined ? '' : ` in ${namespace} namespace`;
    cli.note(`No runs found${where}.`);
  }
  return EXIT.ok;
}

function runsOf(runs: RecordedRuns, namespace: string | undefined, name: string): RunRow[] {
  const matches = runs.list({ namespace, name });
  if (matches.length > 0) return matches;
  throw runs.unknownPod(namespace, name);
}

function render(runs: readonly RunRow[], { output, headers, allNamespaces }: HistoryFlags, nowMs: number): string {
  if (output === 'name') return runs.map(({ run }) => `${run}\n`).join('');
  if (output === 'json') return runs.map((row) => `${JSON.stringify(runRecord(row, nowMs))}\n`).join('');
  return renderRuns(runs, nowMs, { noHeaders: !headers, allNamespaces });
}
