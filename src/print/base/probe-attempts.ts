import type { Probe } from '../../api/index.ts';
import { type ProbeAttempt, probeNumbers, probeOf, type ProbeType } from '../../lifecycle/index.ts';
import { briefDuration, timestampMs } from './age.ts';
import { excerpt } from '../text/excerpt.ts';
import type { PodContainer } from './pod-container.ts';

/** The length of a probe's output in a sentence, in characters. */
const QUOTED_MAX = 120;

/** The attempts of one probe in the present run of a container, oldest first. */
export function attemptsOf(
  { container, status }: PodContainer,
  type: ProbeType,
  attempts: readonly ProbeAttempt[],
): readonly ProbeAttempt[] {
  const restartCount = status?.restartCount ?? 0;
  return attempts.filter(
    (attempt) =>
      attempt.container === container.name && attempt.probe === type && attempt.restartCount === restartCount,
  );
}

/**
 * The progress of a probe: `startup probe attempt 3 of 30, last result: HTTP 503`,
 * `readiness probe failed 7 times in a row, last result: connection refused`, `startup probe, first attempt in 8s`.
 * @param nowMs milliseconds since 1970
 */
export function probeProgress(
  view: PodContainer,
  type: 'startup' | 'readiness',
  attempts: readonly ProbeAttempt[],
  nowMs: number,
): string {
  const last = attemptsOf(view, type, attempts).findLast(({ decision }) => decision !== 'abandoned');
  if (last === undefined) return `${type} probe${firstAttempt(view, probeOf(view.container, type), nowMs)}`;
  const { successes, failures, successThreshold, failureThreshold } = last;
  if (successes > 0) return `${type} probe succeeded ${successes} of ${successThreshold} times`;
  const result = `, last result: ${briefResult(last)}`;
  if (failures === 0) return `${type} probe${result}`;
  if (type === 'startup') return `startup probe attempt ${failures} of ${failureThreshold}${result}`;
  return `readiness probe failed ${failures === 1 ? 'once' : `${failures} times in a row`}${result}`;
}

/** The text `, first attempt in 8s`. Empty when the first attempt is due. */
function firstAttempt({ status }: PodContainer, probe: Probe | undefined, nowMs: number): string {
  const startedMs = timestampMs(status?.state?.running?.startedAt);
  if (probe === undefined || startedMs === undefined) return '';
  const leftMs = startedMs + probeNumbers(probe).initialDelaySeconds * 1000 - nowMs;
  return leftMs > 0 ? `, first attempt in ${briefDuration(Math.ceil(leftMs / 1000) * 1000)}` : '';
}

const CONNECTION_TROUBLE: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  EHOSTUNREACH: 'no way to the host',
  ENOTFOUND: 'no such host',
};

/** The result of an attempt in a few words: `HTTP 503`, `connection refused`, `exit code 1: no file`. */
export function briefResult({ result, httpStatus, grpcStatus, errno, exitCode, output }: ProbeAttempt): string {
  if (result === 'timeout') return 'no answer in time';
  if (httpStatus !== undefined) return `HTTP ${httpStatus}`;
  if (grpcStatus !== undefined) return grpcStatus;
  if (errno !== undefined) return CONNECTION_TROUBLE[errno] ?? errno;
  const [firstLine = ''] = output.trim().split('\n');
  const words = firstLine === '' ? '' : `: ${excerpt(firstLine, QUOTED_MAX)}`;
  return `${exitCode === undefined ? result : `exit code ${exitCode}`}${words}`;
}

/** The number of groups of attempts to show. */
const GROUPS_MAX = 3;

/** The last attempts, a line for consecutive equal ones: `12 times, 2s to 112s after the start: HTTP 503`. */
export function probeHistory(attempts: readonly ProbeAttempt[]): string[] {
  const groups: ProbeAttempt[][] = [];
  for (const attempt of attempts) {
    const before = groups.at(-1);
    if (before?.[0] !== undefined && sameText(before[0]) === sameText(attempt)) before.push(attempt);
    else groups.push([attempt]);
  }
  return groups.slice(-GROUPS_MAX).map((group) => {
    const [first, last] = [group[0]?.offsetSeconds ?? 0, group.at(-1)?.offsetSeconds ?? 0];
    const when = group.length === 1 ? atSecond(first) : `${atSecond(first)} to ${atSecond(last)}`;
    const times = group.length === 1 ? '' : `${group.length} times, `;
    return `${times}${when} after the start: ${group[0] === undefined ? '' : wholeResult(group[0])}`;
  });
}

function atSecond(seconds: number): string {
  return seconds < 0.05 ? '0s' : briefDuration(Math.round(seconds * 10) * 100);
}

/** The result of an attempt with its output, unless the output adds nothing. */
function wholeResult(attempt: ProbeAttempt): string {
  const brief = briefResult(attempt);
  const wholeOutput = excerpt(attempt.output.trim().replaceAll(/(?<!\s)\s*\n\s*/g, ' ⏎ '), QUOTED_MAX);
  return wholeOutput === '' || brief.includes(wholeOutput) || attempt.result === 'success'
    ? brief
    : `${brief} (${wholeOutput})`;
}

/** The result without the ID of an exec, which differs between attempts. */
function sameText(attempt: ProbeAttempt): string {
  return wholeResult(attempt).replaceAll(/\b[\da-f]{64}\b/g, 'ID');
}
