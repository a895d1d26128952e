import { stringify } from 'yaml';
import { InvariantBroken } from '../invariants/index.ts';
import { asError, type Life, type Subject, timelineLine } from '../search.ts';
import { stateOf } from '../workloads/workloads.ts';
import { reasonsToFail } from './reference.ts';
import { type VerdictEntry, VerdictRun } from './verdict-run.ts';
import { arbitraryVerdict, type VerdictScenario } from './verdict-scenario.ts';

/** Runs of any objects with any goal, each with its verdict. */
export const VERDICTS: Subject<VerdictScenario, VerdictEntry> = {
  name: 'verdicts',
  arbitrary: arbitraryVerdict,
  live,
  scenarioText: ({ objects, ...world }) =>
    [...objects.map((object) => stringify(object)), `# What its programs and others do\n${stringify(world)}`].join(
      '---\n',
    ),
  timeline: (entries) => entries.map((entry) => timelineLine(entry.atMs, line(entry))),
};

async function live(scenario: VerdictScenario): Promise<Life<VerdictEntry>> {
  const run = new VerdictRun(scenario);
  const { entries } = run;
  try {
    await run.live();
    const verdict = entries.find(({ type }) => type === 'verdict');
    const reasons = verdict?.type === 'verdict' && verdict.exitCode === 0 ? reasonsToFail(scenario, entries) : [];
    if (reasons.length > 0) throw new InvariantBroken('greenIsWell', verdict?.atMs ?? 0, reasons.join(', '));
    return { entries, error: undefined };
  } catch (error) {
    return { entries, error: asError(error) };
  }
}

function line(entry: VerdictEntry): string {
  switch (entry.type) {
    case 'object': {
      const { kind, metadata } = entry.object;
      const ending = metadata.deletionTimestamp === undefined ? '' : ' (ends)';
      return `${entry.change.toLowerCase()}  ${kind} ${metadata.name}${ending}  ${stateOf(entry.object)}`;
    }
    case 'happening':
      return `>>> ${JSON.stringify(entry.happening)}`;
    case 'command':
      return '>>> COMMAND begins';
    case 'verdict':
      return `>>> exit code ${entry.exitCode} (${entry.how})`;
    default:
      return entry satisfies never;
  }
}
