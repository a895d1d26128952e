import {
  causedKill,
  describeHandler,
  PROBE_TYPES,
  type ProbeAttempt,
  probeNumbers,
  probeOf,
  type ProbeType,
} from '../../lifecycle/index.ts';
import { type Advice, adviceFor, type ContainerAdvice, counted, inSeconds } from './advice.ts';
import { attemptsByRun, type ContainerEvidence, wasGood } from './evidence.ts';

/** The fewest samples for a 99th percentile. */
const SAMPLES_MIN = 5;
/** An attempt that takes this part of its time-out nearly fails. */
const NEAR = 0.5;

/** Advice from the attempts of probes of a running container. */
export function probeAdvice(container: ContainerEvidence): Advice[] {
  return adviceFor(container.name, [
    ...PROBE_TYPES.map((type) => timeout(container, type)),
    readinessFlaps(container),
    livenessLikeReadiness(container),
  ]);
}

function timeout(container: ContainerEvidence, type: ProbeType): ContainerAdvice | undefined {
  const { path, spec, probeAttempts } = container;
  const probe = probeOf(spec, type);
  if (probe === undefined) return undefined;
  const { timeoutSeconds } = probeNumbers(probe);
  const attempts = probeAttempts.filter((attempt) => attempt.probe === type && wasGood(attempt) !== undefined);
  const good = attempts.filter((attempt) => wasGood(attempt) === true).map(({ durationMs }) => durationMs / 1000);
  // A time-out before the first success is part of the start: it says nothing about later attempts.
  const late = attempts.filter(
    ({ result }, index) =>
      result === 'timeout' && attempts.slice(0, index).some((attempt) => wasGood(attempt) === true),
  );
  if (good.length < SAMPLES_MIN) return undefined;
  const p99 = percentile(good, 0.99);
  const usual = `the 99th percentile of ${good.length} that succeeded is ${inSeconds(p99)}`;
  const limit = `the time-out is ${timeoutSeconds} s`;
  const about = {
    rule: 'timeout-too-short',
    path: `${path}.${type}Probe.timeoutSeconds`,
    current: timeoutSeconds,
    suggested: Math.max(Math.ceil(3 * p99), late.length > 0 ? timeoutSeconds * 2 : timeoutSeconds + 1),
    what: 'Allow more time: a busy machine takes longer.',
    samples: attempts.length,
  } as const;
  if (late.length > 0) {
    const evidence = `${counted(late.length, 'attempt')} of ${attempts.length} timed out: ${limit}; ${usual}.`;
    return { ...about, severity: 'problem', evidence };
  }
  if (p99 < NEAR * timeoutSeconds) return undefined;
  return { ...about, severity: 'risk', evidence: `Of ${counted(attempts.length, 'attempt')}, ${usual}; ${limit}.` };
}

/** The percentile by the nearest rank. @param part from 0 to 1 */
function percentile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(part * sorted.length) - 1)] ?? 0;
}

/** The lengths of rows of failures between two successes. */
function failureRows(attempts: readonly ProbeAttempt[]): number[] {
  const rows: number[] = [];
  let row: number | undefined;
  for (const attempt of attempts) {
    const good = wasGood(attempt);
    if (good === undefined) continue;
    if (!good) {
      if (row !== undefined) row += 1;
      continue;
    }
    if (row !== undefined && row > 0) rows.push(row);
    row = 0;
  }
  return rows;
}

function readinessFlaps(container: ContainerEvidence): ContainerAdvice | undefined {
  const { path, spec } = container;
  if (spec.readinessProbe === undefined) return undefined;
  const { failureThreshold, periodSeconds } = probeNumbers(spec.readinessProbe);
  const runs = attemptsByRun(container, 'readiness');
  const rows = runs.flatMap(failureRows).filter((row) => row >= failureThreshold);
  if (rows.length < 2) return undefined;
  const longest = Math.max(...rows);
  const attempts = runs.reduce((sum, run) => sum + run.length, 0);
  const evidence =
    `The container became unready ${rows.length} times and Ready again, after ${longest} failures in a row at most ` +
    `(${failureThreshold} decide, one each ${periodSeconds} s), in ${counted(attempts, 'attempt')}.`;
  const what = 'Raise failureThreshold if the failures end by themselves; podrun probes shows each attempt.';
  const about = { path: `${path}.readinessProbe.failureThreshold`, current: failureThreshold };
  return {
    rule: 'readiness-flaps',
    severity: 'problem',
    ...about,
    suggested: longest + 1,
    what,
    evidence,
    samples: attempts,
  };
}

function livenessLikeReadiness(container: ContainerEvidence): ContainerAdvice | undefined {
  const { path, spec } = container;
  const { livenessProbe, readinessProbe } = spec;
  if (livenessProbe === undefined || readinessProbe === undefined) return undefined;
  if (describeHandler(livenessProbe) !== describeHandler(readinessProbe)) return undefined;
  const [alive, ready] = [probeNumbers(livenessProbe), probeNumbers(readinessProbe)];
  const patience = (numbers: typeof alive): number => numbers.periodSeconds * numbers.failureThreshold;
  if (patience(alive) > patience(ready)) return undefined;
  // Runs of a container that was up before its liveness probe killed it.
  const ended = attemptsByRun(container, 'liveness').filter(
    (attempts) => attempts.some((attempt) => wasGood(attempt) === true) && attempts.some(causedKill),
  );
  if (ended.length === 0) return undefined;
  const evidence =
    `Both probes use ${describeHandler(livenessProbe)}; in ${counted(ended.length, 'run')} the liveness probe killed ` +
    'the container, where the readiness probe would only have made it unready.';
  const suggested = Math.max(alive.failureThreshold + 1, Math.ceil((3 * patience(ready)) / alive.periodSeconds));
  const what =
    'Give the liveness probe a higher failureThreshold than readiness, or probe something that only a restart repairs.';
  const about = { path: `${path}.livenessProbe.failureThreshold`, current: alive.failureThreshold };
  return {
    rule: 'liveness-like-readiness',
    severity: 'problem',
    ...about,
    suggested,
    what,
    evidence,
    samples: ended.length,
  };
}
