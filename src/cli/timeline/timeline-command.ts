import { EXIT } from '../../api/errors.ts';
import { DEFAULT_NAMESPACE } from '../../api/objects.ts';
import { SystemClock } from '../../clock.ts';
import type { Timeline } from '../../history/timeline/model.ts';
import { renderTimelines } from '../../print/timeline/terminal.ts';
import { RecordedRuns } from '../../store/recorded-runs.ts';
import { openStore } from '../environment.ts';
import { StandardOutput } from '../standard-output.ts';
import { painterFor } from '../view/chalk-painter.ts';
import { chosenRuns, recordedRun } from './chosen-runs.ts';
import { terminalGlyphs } from './terminal-glyphs.ts';
import type { TimelineFlags } from './timeline.ts';

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
    process.stderr.write(`No runs found in ${namespace} namespace.\n`);
    return EXIT.ok;
  }
  const recorded = runs.map((run) => recordedRun(records, run, nowMs));
  const out = new StandardOutput();
  if (flags.output === 'html') out.write((await import('./run-page.ts')).runPage(recorded, nowMs));
  else out.write(render(recorded.map(({ timeline }) => timeline)));
  return EXIT.ok;
}

function render(timelines: readonly Timeline[]): string {
  const { stdout } = process;
  // A terminal that nobody has given a size has 0 columns.
  const width = (stdout.isTTY ? stdout.columns : 0) || PIPE_COLUMNS;
  return renderTimelines(timelines, { width, color: painterFor(stdout), glyphs: terminalGlyphs(process.env) });
}
