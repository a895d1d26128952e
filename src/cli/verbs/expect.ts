import type { Command } from 'commander';
import { EXIT, PodrunError, usage } from '../../api/errors.ts';
import type { Expectation } from '../../history/expect/expectation.ts';
import { SystemClock } from '../../clock.ts';
import { isOver } from '../../history/run-length.ts';
import { storyOf } from '../../history/run-story.ts';
import type { NamedRun } from '../../history/state-at.ts';
import { renderExpectation } from '../../print/expectation/expectation-file.ts';
import {
  type ExpectationOutcome,
  isMet,
  outcomeRecord,
  outcomeSuites,
  renderOutcomes,
} from '../../print/expectation/outcome.ts';
import { renderJunit } from '../../print/report/junit.ts';
import { openStore } from '../environment.ts';
import { outcomesOf, readExpectationFile } from '../history/expectations.ts';
import { namedRun, runsInFile } from '../history/saved-runs.ts';
import { outputOption } from '../select/selection-flags.ts';
import { StandardOutput } from '../standard-output.ts';
import { printError } from '../standard-streams.ts';
import type { RunVerb } from '../verb.ts';

/** The flags of `expect`. */
interface ExpectFlags {
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

/** `podrun expect`: checks recorded runs against a file of expectations. */
export function register(program: Command, run: RunVerb): void {
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
    .action((words: string[], flags: ExpectFlags) => run(() => expect(words, flags)));
}

async function expect(words: readonly string[], flags: ExpectFlags): Promise<number> {
  const out = new StandardOutput();
  if (flags.print) {
    out.write(await printed(words, flags));
    return EXIT.ok;
  }
  const [file = '', ...names] = words;
  if (flags.from !== undefined && names.length > 0) throw usage('the runs are named, or taken --from a file: not both');
  const expectations = await readExpectationFile(file);
  const runs = await runsFor(expectations, names, flags);
  const outcomes = outcomesOf(expectations, runs);
  out.write(render(outcomes, flags));
  for (const { run, recorded } of runs) {
    if (!isOver(recorded)) printError(`The run ${run} goes on: it was checked as far as it got.\n`);
  }
  return outcomes.every(isMet) ? EXIT.ok : EXIT.failed;
}

/** The runs to check: named runs, the runs of a file, or the runs that the expectations name. */
async function runsFor(
  expectations: readonly Expectation[],
  names: readonly string[],
  { namespace, from, stateDir }: ExpectFlags,
): Promise<readonly NamedRun[]> {
  if (from !== undefined) return runsInFile(from);
  const pods = new Set(names);
  if (names.length === 0) {
    for (const { pod, place } of expectations) {
      if (pod === undefined) throw usage(`${place} does not say of which Pod: name it, or write pod: NAME`);
      pods.add(pod);
    }
  }
  const store = openStore(stateDir, new SystemClock());
  return Promise.all([...pods].map((name) => namedRun(() => store, namespace, name)));
}

function render(outcomes: readonly ExpectationOutcome[], { output }: ExpectFlags): string {
  if (output === 'junit') return renderJunit('podrun expect', outcomeSuites(outcomes));
  if (output === 'json') return outcomes.map((outcome) => `${JSON.stringify(outcomeRecord(outcome))}\n`).join('');
  return renderOutcomes(outcomes);
}

/** Makes expectations that the runs meet. */
async function printed(names: readonly string[], { namespace, stateDir }: ExpectFlags): Promise<string> {
  const store = openStore(stateDir, new SystemClock());
  const runs = await Promise.all(names.map((name) => namedRun(() => store, namespace, name)));
  const texts = runs.map(({ run, recorded }) => {
    const story = storyOf(recorded);
    if (story === undefined) throw new PodrunError('NotFound', `of the run ${run} no transitions are on record`);
    return renderExpectation(story);
  });
  return texts.join('---\n');
}
