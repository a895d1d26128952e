import type { Command } from 'commander';
import { DEFAULT_NAMESPACE, EXIT } from '../../api/index.ts';
import {
  ASCII_GLYPHS,
  type Glyphs,
  type NamedTimeline,
  renderTimelineJson,
  renderTimelines,
  renderTrace,
  UNICODE_GLYPHS,
} from '../../print/index.ts';
import { RecordedRuns } from '../../store/index.ts';
import { openStore } from '../base/environment.ts';
import { outputOption } from '../select/selection-flags.ts';
import type { NodeLane } from '../../history/index.ts';
import { chosenRuns, lanesOf, recordedRun, type RunInTime } from '../timeline/chosen-runs.ts';
import type { Cli, RunVerb } from '../base/cli.ts';
import { painterFor } from '../view/painter-for.ts';
import { runPage } from '../timeline/run-page.ts';
import { workloadsAbove } from '../../apiserver/index.ts';
import { type ContextFlags, contextOption } from '../flags/options.ts';

interface TimelineFlags extends ContextFlags {
  readonly namespace: string | undefined;
  readonly output: 'html' | 'json' | 'trace' | undefined;
}

const EXAMPLES = `
Examples:
  podrun timeline               # the Pods that lived at the same time as the latest one
  podrun timeline web
  podrun timeline web web@1     # two runs of a Pod, one below the other
  podrun timeline deployment/web                   # the Pods of a workload
  podrun timeline web -o html > web.html
  podrun timeline web -o trace > web.trace.json    # for Perfetto or chrome://tracing
  podrun timeline web -o json | jq '.criticalPath.steps[] | [.text, .toMs - .fromMs]'
`;

/** `podrun timeline`: draws the history of Pods. */
export function register(program: Command, run: RunVerb): void {
  program
    .command('timeline')
    .summary('Draw the timeline of Pods and workloads')
    .description(
      'Draws the timeline of Pods: every attempt of every container, waiting and back-off, hooks, probes and ' +
        'conditions. Lists the critical path to Ready: the steps that had to happen one after another.',
    )
    .usage('[POD | POD@1 | uid:UID | TYPE/NAME]... [flags]')
    .argument('[run...]', 'recorded runs, as podrun history names them, or workloads')
    .option('-n, --namespace <name>', 'namespace of the Pods (default: "default")')
    .addOption(outputOption<'html' | 'json' | 'trace'>(['html', 'json', 'trace']))
    .addOption(contextOption())
    .addHelpText('after', EXAMPLES)
    .action((runs: string[], flags: TimelineFlags) => run((cli) => timeline(cli, runs, flags)));
}

/** The width without a terminal. */
const PIPE_COLUMNS = 100;

async function timeline(cli: Cli, words: readonly string[], flags: TimelineFlags): Promise<number> {
  const { clock } = cli;
  const store = openStore(cli, flags.context);
  const records = new RecordedRuns(store);
  const namespace = flags.namespace || DEFAULT_NAMESPACE;
  const nowMs = clock.now().wallMs;
  const runs = chosenRuns(records, { namespace, words, nowMs, workloadsAbove: workloadsAbove(store) });
  if (runs.length === 0) {
    cli.stderr.write(`No runs found in ${namespace} namespace.\n`);
    return EXIT.ok;
  }
  const recorded = runs.map((run) => recordedRun(records, run, nowMs));
  const nodes = lanesOf(store, recorded);
  cli.stdout.write(await outputOf(cli, recorded, nodes, { output: flags.output, nowMs }));
  return EXIT.ok;
}

async function outputOf(
  cli: Cli,
  runs: readonly RunInTime[],
  nodes: readonly NodeLane[],
  { output, nowMs }: Pick<TimelineFlags, 'output'> & { readonly nowMs: number },
): Promise<string> {
  const named = runs.map(({ run, workload, timeline }) => {
    const node = nodes.length > 0 ? run.pod.spec.nodeName : undefined;
    return { run: run.run, workload, node, timeline };
  });
  switch (output) {
    case 'html':
      return runPage(runs, nodes, nowMs);
    case 'json':
      return renderTimelineJson(named);
    case 'trace':
      return renderTrace(named);
    case undefined:
      return render(cli, named, nodes);
    default:
      return output satisfies never;
  }
}

async function render(cli: Cli, runs: readonly NamedTimeline[], nodes: readonly NodeLane[]): Promise<string> {
  const width = cli.stdout.columns ?? PIPE_COLUMNS;
  const color = await painterFor(cli, 'stdout');
  return renderTimelines(runs, { width, color, glyphs: terminalGlyphs(cli.env), nodes });
}

/**
 * The characters that the terminal can show: ASCII where the locale has another encoding than UTF-8 (`C`, `POSIX`,
 * `de_DE.ISO-8859-1`). Containers often have no locale: then UTF-8, which terminals know.
 */
function terminalGlyphs(env: Readonly<Record<string, string | undefined>>): Glyphs {
  const locale = env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'];
  return !locale || /utf-?8/i.test(locale) ? UNICODE_GLYPHS : ASCII_GLYPHS;
}
