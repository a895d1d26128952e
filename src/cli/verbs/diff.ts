import {
  compareRuns,
  isOver,
  lastStateOf,
  type NamedRun,
  noTransitions,
  type RunComparison,
} from '../../history/index.ts';
import type { Command } from 'commander';
import { EXIT, PodrunError, type StoredPod, usage } from '../../api/index.ts';
import { comparisonRecord, renderComparison } from '../../print/index.ts';
import { type ToleranceFlags, toleranceOf, withTolerance } from '../flags/options.ts';
import { displayNowMs, openStore } from '../base/environment.ts';
import { namedRun } from '../history/saved-runs.ts';
import { outputOption } from '../select/selection-flags.ts';
import type { Cli, RunVerb } from '../base/cli.ts';

interface DiffFlags extends ToleranceFlags {
  readonly namespace: string | undefined;
  readonly output: 'json' | undefined;
}

const EXAMPLES = `
Examples:
  podrun diff web@1 web                   # the differences between the last run and the one before
  podrun diff web@1 web --tolerance 50%
  podrun diff good.ndjson web             # a saved output of apply -o json, and a recorded run
  podrun diff web api -o json | jq -r '.differences[].what'

Exit codes:
  0  both runs were the same
  1  the runs differ
  2  the command line is wrong, or a run does not exist
`;

/** `podrun diff`: compares two recorded runs. */
export function register(program: Command, run: RunVerb): void {
  const command = program
    .command('diff')
    .summary('Compare two runs')
    .description('Compares two runs: phases, conditions, restarts, exits, events, order, times; and their manifests.')
    .usage('RUN RUN [flags]')
    .argument('<run...>', 'two runs: web, web@1, uid:4f6…, or a file with the output of apply -o json')
    .option('-n, --namespace <name>', 'namespace of the Pods (default: "default")');
  withTolerance(command)
    .addOption(outputOption<'json'>(['json']))
    .addHelpText('after', EXAMPLES)
    .action((runs: string[], flags: DiffFlags) => run((cli) => diff(cli, runs, flags)));
}

async function diff(cli: Cli, names: readonly string[], flags: DiffFlags): Promise<number> {
  try {
    return await compare(cli, names, flags);
  } catch (error) {
    if (!(error instanceof PodrunError)) throw error;
    // Exit code 1 means that the runs differ, as with diff(1) and kubectl diff. So an error has another code.
    throw new PodrunError('Usage', error.message, { hint: error.hint, cause: error });
  }
}

async function compare(cli: Cli, names: readonly string[], flags: DiffFlags): Promise<number> {
  const [nameA, nameB, ...more] = names;
  if (nameA === undefined || nameB === undefined || more.length > 0) {
    throw usage(`diff compares two runs, and ${names.length} were named`, 'For example: podrun diff web@1 web');
  }
  const tolerance = toleranceOf(flags);
  const store = (): ReturnType<typeof openStore> => openStore(cli);
  const named = [
    await namedRun(cli, store, flags.namespace, nameA),
    await namedRun(cli, store, flags.namespace, nameB),
  ] as const;
  const comparison = compareRuns(named[0].recorded, named[1].recorded, tolerance);
  const [a, b] = [withPod(named[0]), withPod(named[1])];
  if (comparison === undefined || a === undefined || b === undefined) {
    throw noTransitions(a === undefined ? nameA : nameB);
  }
  cli.stdout.write(render(a, b, { comparison, flags, nowMs: displayNowMs(cli) }));
  for (const { run, recorded } of [a, b]) {
    if (!isOver(recorded)) cli.stderr.write(`Run ${run} has not ended: podrun compared it up to now.\n`);
  }
  return comparison.differences.length === 0 ? EXIT.ok : EXIT.failed;
}

interface Compared {
  readonly comparison: RunComparison;
  readonly flags: DiffFlags;
  readonly nowMs: number;
}

type RunWithPod = NamedRun & { readonly pod: StoredPod };

function render(a: RunWithPod, b: RunWithPod, { comparison, flags, nowMs }: Compared): string {
  if (flags.output === undefined) return renderComparison(a, b, comparison);
  return `${JSON.stringify(comparisonRecord(a, b, { comparison, nowMs }), undefined, 4)}\n`;
}

function withPod(named: NamedRun): RunWithPod | undefined {
  const pod = lastStateOf(named.recorded);
  return pod === undefined ? undefined : { ...named, pod };
}
