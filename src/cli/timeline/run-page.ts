import { formatTime, type StoredEvent } from '../../api/index.ts';
import type { NodeLane, RecordedRun } from '../../history/index.ts';
import { describePod, type PageLog, type PagePod, renderPage } from '../../print/index.ts';
import { version } from '../../version.ts';
import { instanceLogPath, instancesLogged, lastLogLines } from '../../store/index.ts';
import type { RunInTime } from './chosen-runs.ts';

/** The lines of a log on the page. A page must stay small enough to send; `podrun logs` has the rest. */
const LOG_LINES_MAX = 2000;

/**
 * Makes the page of these runs, with their events, logs and descriptions.
 * @throws {PodrunError} when the record cannot be read
 */
export function runPage(runs: readonly RunInTime[], nodes: readonly NodeLane[], nowMs: number): string {
  const sha256 = (text: string): string =>
    process.getBuiltinModule('node:crypto').createHash('sha256').update(text).digest('base64');
  const pods = runs.map((run) => pageOf(run, nowMs));
  return renderPage(pods, { sha256, madeAt: formatTime(nowMs).replace(/\.\d+Z$/, 'Z'), version, nodes });
}

function pageOf(inTime: RunInTime, nowMs: number): PagePod {
  const { run, workload, recorded, timeline } = inTime;
  const describe = describePod(run.pod, eventsOf(recorded), nowMs);
  return { run: run.run, workload, timeline, describe, logs: logsOf(inTime) };
}

/** The events of a run, each in its last state, removed events included. */
export function eventsOf({ transitions }: RecordedRun): StoredEvent[] {
  const events = transitions.flatMap(({ object }) => (object.kind === 'Event' ? [object] : []));
  return [...new Map(events.map((event) => [event.metadata.name, event])).values()];
}

function logsOf({ run, timeline }: RunInTime): PageLog[] {
  return timeline.containers.flatMap(({ name }) =>
    instancesLogged(run.paths.logs, name).map((attempt) => {
      const lines = lastLogLines(instanceLogPath(run.paths.logs, name, attempt), LOG_LINES_MAX + 1);
      const last = lines.slice(-LOG_LINES_MAX);
      const text = last.map((line) => `${line}\n`).join('');
      return { container: name, attempt, text, isCut: lines.length > LOG_LINES_MAX };
    }),
  );
}
