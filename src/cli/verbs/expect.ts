import { type Expectation, isOver, type NamedRun, noTransitions, storyOf } from '../../history/index.ts';
import type { Command } from 'commander';
import { EXIT, usage } from '../../api/index.ts';
import {
  type ExpectationOutcome,
  isMet,
  outcomeRecord,
  outcomeSuites,
  renderExpectation,
  renderJunit,
  renderOutcomes,
} from '../../print/index.ts';
import { openStore } from '../base/environment.ts';
import { outcomesOf, readExpectationFile } from '../history/expectations.ts';
import { namedRun, runsInFile } from '../history/saved-runs.ts';
import { outputOption } from '../select/selection-flags.ts';
import type { Cli, RunVerb } from '../base/cli.ts';

interface ExpectFlags {
  readonly namespace: string | undefined;
  readonly from: string | undefined;
  readonly print: boolean;
  readonly output: 'json' | 'junit' | undefined;
}

const EXAMPLES = `
Examples:
  podrun expect --print web > web.expect.yaml     # writes down the last run of web, as a start
  podrun expect web.expect.yaml                   # the Pods that the file names
  podrun expect web.expect.yaml web@1
  podrun apply -o json pod.yaml > run.ndjson; podrun expect web.expect.yaml --from run.ndjson
  podrun expect web.expect.yaml -o junit > junit.xml

Exit codes:
  0  the runs meet all expectations
  1  a run does not meet an expectation
  2  the command line or the file is wrong
`;

/** `podrun expect`: checks recorded runs against a file of expectations. */
export function register(program: Command, run: RunVerb): void {
  program
    .command('expect')
    .summary('Check runs against expectations')
    .description('Checks runs against a file of expectations: steps in order, forbidden steps, the final state.')
    .usage('FILE [RUN...] [flags] | --print RUN')
    .argument('<file...>', 'the file, then the runs: web, web@1, uid:4f6… (default: the Pods that the file names)')
    .option('--from <file>', 'take the runs from this output of apply -o json; -: standard input')
    .option('--print', 'print expectations that this run meets', false)
    .option('-n, --namespace <name>', 'namespace of the Pods (default: "default")')
    .addOption(outputOption<'json' | 'junit'>(['json', 'junit']))
    .addHelpText('after', EXAMPLES)
    .action((words: string[], flags: ExpectFlags) => run((cli) => expect(cli, words, flags)));
}

async function expect(cli: Cli, words: readonly string[], flags: ExpectFlags): Promise<number> {
  if (flags.print) {
    cli.stdout.write(await printed(cli, words, flags));
    return EXIT.ok;
  }
  const [file = '', ...names] = words;
  if (flags.from !== undefined && names.length > 0) throw usage('cannot specify runs and --from together');
  const expectations = await readExpectationFile(cli, file);
  const runs = await runsFor(cli, expectations, names, flags);
  const outcomes = outcomesOf(expectations, runs);
  cli.stdout.write(render(outcomes, flags));
  for (const { run, recorded } of runs) {
    if (!isOver(recorded)) cli.stderr.write(`Run ${run} has not ended: podrun checked it up to now.\n`);
  }
  return outcomes.every(isMet) ? EXIT.ok : EXIT.failed;
}

/** The runs to check: named runs, the runs of a file, or the runs that the expectations name. */
async function runsFor(
  cli: Cli,
  expectations: readonly Expectation[],
  names: readonly string[],
  { namespace, from }: ExpectFlags,
): Promise<readonly NamedRun[]> {
  if (from !== undefined) return runsInFile(cli, from);
  const pods = new Set(names);
  if (names.length === 0) {
    for (const { pod, place } of expectations) {
      if (pod === undefined) throw usage(`${place} names no Pod: name a run on the command line, or write pod: NAME`);
      pods.add(pod);
    }
  }
  const store = openStore(cli);
  return Promise.all([...pods].map((name) => namedRun(cli, () => store, namespace, name)));
}

function render(outcomes: readonly ExpectationOutcome[], { output }: ExpectFlags): string {
  if (output === 'junit') return renderJunit('podrun expect', outcomeSuites(outcomes));
  if (output === 'json') return outcomes.map((outcome) => `${JSON.stringify(outcomeRecord(outcome))}\n`).join('');
  return renderOutcomes(outcomes);
}

/** Makes expectations that the runs meet. */
async function printed(cli: Cli, names: readonly string[], { namespace }: ExpectFlags): Promise<string> {
  const store = openStore(cli);
  const runs = await Promise.all(names.map((name) => namedRun(cli, () => store, namespace, name)));
  const texts = runs.map(({ run, recorded }) => {
    const story = storyOf(recorded);
    if (story === undefined) throw noTransitions(run);
    return renderExpectation(story);
  });
  return texts.join('---\n');
}
