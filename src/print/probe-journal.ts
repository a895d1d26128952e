import { formatGoDuration, type Probe } from '../api/index.ts';
import type { ProbeAttempt, ProbeDecision, ProbeType } from '../lifecycle/index.ts';
import { describeProbe } from './describe/container.ts';
import { renderRows, TABLE_LAYOUT, TabWriter } from './text/tab-writer.ts';

/** A probe of a container. */
export interface DefinedProbe {
  readonly container: string;
  readonly type: ProbeType;
  readonly probe: Probe;
}

/** Consecutive attempts of one probe with equal results. */
interface AttemptGroup {
  readonly first: ProbeAttempt;
  readonly last: ProbeAttempt;
  readonly count: number;
  readonly shortestMs: number;
  readonly longestMs: number;
}

const TITLE: Readonly<Record<ProbeType, string>> = { startup: 'Startup', liveness: 'Liveness', readiness: 'Readiness' };

const DECISION_WORDS: Readonly<Record<ProbeDecision, string>> = {
  none: '',
  started: 'started',
  ready: 'ready',
  notReady: 'not ready',
  restart: 'restart',
  kill: 'kill',
  retry: 'try again',
  notCounted: 'not counted',
  abandoned: 'abandoned',
};

/** RUN is the restart count, AT the time since the container started, COUNT the number in a row and the threshold. */
const HEADINGS = ['RUN', 'AT', 'TOOK', 'RESULT', 'COUNT', 'DECISION', 'OUTPUT'];

/**
 * Formats the journal for people: the definition of each probe, then its attempts. Consecutive attempts with equal
 * results share one line, `2.013s (x12 over 110s)`.
 */
export function renderProbeJournal(probes: readonly DefinedProbe[], attempts: readonly ProbeAttempt[]): string {
  return probes
    .map(({ container, type, probe }) => {
      const own = attempts.filter((attempt) => attempt.container === container && attempt.probe === type);
      const heading = `${container}  ${TITLE[type]}  ${describeProbe(probe)}\n`;
      return heading + (own.length === 0 ? '  no attempts\n' : renderGroups(folded(own)));
    })
    .join('\n');
}

/** Prints attempts of all probes one by one, in order, with columns that never shrink. */
export class ProbeAttemptTable {
  readonly #writer = new TabWriter(TABLE_LAYOUT);
  #headingsDue = true;

  render(attempts: readonly ProbeAttempt[]): string {
    if (attempts.length === 0) return '';
    const rows = attempts.map((attempt) => [attempt.container, attempt.probe, ...cellsOf(groupOf(attempt))]);
    if (this.#headingsDue) rows.unshift(['CONTAINER', 'PROBE', ...HEADINGS]);
    this.#headingsDue = false;
    return trimmedLines(this.#writer.render(renderRows(rows)));
  }
}

function renderGroups(groups: readonly AttemptGroup[]): string {
  const rows = [HEADINGS, ...groups.map(cellsOf)];
  const table = new TabWriter(TABLE_LAYOUT).render(renderRows(rows));
  return trimmedLines(table).replaceAll(/^(?=.)/gm, '  ');
}

/** Removes the padding of empty last cells. */
function trimmedLines(table: string): string {
  return table.replaceAll(/(?<! ) +$/gm, '');
}

function groupOf(attempt: ProbeAttempt): AttemptGroup {
  const { durationMs } = attempt;
  return { first: attempt, last: attempt, count: 1, shortestMs: durationMs, longestMs: durationMs };
}

/** The ID of an exec in an error message: it differs between attempts, and means nothing to users. */
const EXEC_ID = /\b([\da-f]{12})[\da-f]{52}\b/g;

/** Groups attempts with equal results. An attempt with a decision stays alone, since readers look for it. */
function folded(attempts: readonly ProbeAttempt[]): AttemptGroup[] {
  const groups: AttemptGroup[] = [];
  for (const attempt of attempts) {
    const before = groups.at(-1);
    if (before === undefined || !isRepetition(before.last, attempt)) groups.push(groupOf(attempt));
    else {
      groups[groups.length - 1] = {
        ...before,
        last: attempt,
        count: before.count + 1,
        shortestMs: Math.min(before.shortestMs, attempt.durationMs),
        longestMs: Math.max(before.longestMs, attempt.durationMs),
      };
    }
  }
  return groups;
}

const CHANGES_NOTHING: ReadonlySet<ProbeDecision> = new Set(['none', 'retry', 'notCounted']);

function isRepetition(attempt: ProbeAttempt, next: ProbeAttempt): boolean {
  const changesNothing = CHANGES_NOTHING.has(attempt.decision) && CHANGES_NOTHING.has(next.decision);
  return changesNothing && comparedText(attempt) === comparedText(next);
}

function comparedText(attempt: ProbeAttempt): string {
  const output = attempt.output.replaceAll(EXEC_ID, 'ID');
  return [attempt.restartCount, resultText(attempt), output].join('\n');
}

function cellsOf({ first, last, count, shortestMs, longestMs }: AttemptGroup): string[] {
  const over = formatGoDuration(Math.round((last.offsetSeconds - first.offsetSeconds) * 10) * 100);
  const [fastest, slowest] = [Math.round(shortestMs), Math.round(longestMs)];
  return [
    String(first.restartCount),
    formatOffset(first.offsetSeconds) + (count === 1 ? '' : ` (x${count} over ${over})`),
    fastest === slowest ? `${slowest}ms` : `${fastest}-${slowest}ms`,
    resultText(first),
    countText(last),
    DECISION_WORDS[last.decision],
    outputCell(first.output),
  ];
}

/** The text `failure (HTTP 500)`, `failure (exit code 1)`, `timeout`. Leaves out the exit code 0. */
function resultText({ result, exitCode, httpStatus, grpcStatus, errno }: ProbeAttempt): string {
  const details = [
    ...(exitCode === undefined || exitCode === 0 ? [] : [`exit code ${exitCode}`]),
    ...(httpStatus === undefined ? [] : [`HTTP ${httpStatus}`]),
    ...(grpcStatus === undefined ? [] : [grpcStatus]),
    ...(errno === undefined ? [] : [errno]),
  ];
  return details.length === 0 ? result : `${result} (${details.join(', ')})`;
}

/** The text `2/3`: the second result in a row, and the third decides. Empty for results that do not count. */
function countText({ successes, failures, successThreshold, failureThreshold, decision }: ProbeAttempt): string {
  if (decision === 'retry' || decision === 'notCounted' || decision === 'abandoned') return '';
  return successes > 0 ? `${successes}/${successThreshold}` : `${failures}/${failureThreshold}`;
}

/** Formats seconds with thousandths below a quarter of an hour (`12.345s`), longer times as `16m40s`. */
function formatOffset(seconds: number): string {
  return seconds < 900 ? `${seconds.toFixed(3)}s` : formatGoDuration(Math.trunc(seconds) * 1000);
}

function outputCell(output: string): string {
  // The table cuts the text after its first line, with a mark.
  return output.trim().replaceAll('\t', ' ').replaceAll(EXEC_ID, '$1…');
}
