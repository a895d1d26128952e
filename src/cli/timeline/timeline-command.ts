import { EXIT } from '../../api/errors.ts';
import { DEFAULT_NAMESPACE } from '../../api/objects.ts';
import { SystemClock } from '../../clock.ts';
import type { Timeline } from '../../history/timeline/model.ts';
import { renderTimelineJson } from '../../print/timeline/json.ts';
import { renderTimelines } from '../../print/timeline/terminal.ts';
import { renderTrace } from '../../print/timeline/trace.ts';
import { RecordedRuns } from '../../store/recorded-runs.ts';
import { openStore } from '../environment.ts';
import { StandardOutput } from '../standard-output.ts';
import { painterFor } from '../view/painter-for.ts';
import { chosenRuns, recordedRun, type RunInTime } from './chosen-runs.ts';
import { terminalGlyphs } from './terminal-glyphs.ts';
import type { TimelineFlags } from './timeline.ts';
import { isTerminal, printError, streamOf } from '../standard-streams.ts';

/** Without a terminal there is no width to go by. */
const PIPE_COLUMNS = 100;

/** `podrun timeline`: flags in, exit code out. */
export async function timeline(words: readonly string[], flags: TimelineFlags): Promise<number> {
  const clock = new SystemClock();
  const records = new RecordedRuns(openStore(flags.stateDir, clock));
  const namespace = flags.namespace || DEFAULT_NAMESPACE;
  const nowMs = clock.now().wallMs;
  const runs = chosenRuns(records, { namespace, words, nowMs });
  if (runs.length === 0) {
    printError(`No runs found in ${namespace} namespace.\n`);
    return EXIT.ok;
  }
  const recorded = runs.map((run) => recordedRun(records, run, nowMs));
  new StandardOutput().write(await outputOf(recorded, flags, nowMs));
  return EXIT.ok;
}

async function outputOf(runs: readonly RunInTime[], { output }: TimelineFlags, nowMs: number): Promise<string> {
  const named = runs.map(({ run, timeline }) => ({ run: run.run, timeline }));
  switch (output) {
    case 'html':
      return (await import('./run-page.ts')).runPage(runs, nowMs);
    case 'json':
      return renderTimelineJson(named);
    case 'trace':
      return renderTrace(named);
    case undefined:
      return render(runs.map(({ timeline }) => timeline));
    default:
      return output satisfies never;
  }
}

async function render(timelines: readonly Timeline[]): Promise<string> {
  // A terminal that nobody has given a size has 0 columns.
  const width = (isTerminal('stdout') ? streamOf('stdout').columns : 0) || PIPE_COLUMNS;
  const color = await painterFor('stdout');
  return renderTimelines(timelines, { width, color, glyphs: terminalGlyphs(process.env) });
}
