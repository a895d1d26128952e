import type { Probe } from '../../api/index.ts';
import { causedKill, type ProbeAttempt, probeNumbers, probeOf, type ProbeType } from '../../lifecycle/index.ts';
import { type Advice, adviceFor, type ContainerAdvice, counted, inSeconds, partOf } from './advice.ts';
import { attemptsByRun, type ContainerEvidence, wasGood } from './evidence.ts';

/** The suggested time for a start, as a multiple of the longest start. */
const MARGIN = 3;
/** A start that takes this part of its time nearly fails. */
const NEAR = 0.7;
/** A startup probe with this multiple of the longest start notices a hang late. */
const FAR = 10;
const FAR_SECONDS = 60;
/** Less lost time than this is not worth a line. */
const WORTH_SECONDS = 2;
/** From this period on, a probe may delay readiness. */
const SLOW_PERIOD_SECONDS = 5;

/** Advice from the first attempts of probes. */
export function startupAdvice(container: ContainerEvidence): Advice[] {
  return adviceFor(container.name, [
    startupBudget(container),
    ...(['startup', 'readiness', 'liveness'] as const).map((type) => initialDelay(container, type)),
    livenessBeforeStart(container),
    slowPeriod(container),
    readyBeforeListening(container),
  ]);
}

/** Seconds from the start of the container to the end of the attempt. */
function tookSeconds({ offsetSeconds, durationMs }: ProbeAttempt): number {
  return offsetSeconds + durationMs / 1000;
}

function firstGood(attempts: readonly ProbeAttempt[]): ProbeAttempt | undefined {
  return attempts.find((attempt) => wasGood(attempt) === true);
}

function startupBudget(container: ContainerEvidence): ContainerAdvice | undefined {
  const { path, spec } = container;
  if (spec.startupProbe === undefined) return undefined;
  const { initialDelaySeconds, periodSeconds, failureThreshold } = probeNumbers(spec.startupProbe);
  const budget = initialDelaySeconds + periodSeconds * failureThreshold;
  const runs = attemptsByRun(container, 'startup');
  const killed = runs.filter((attempts) => attempts.some(causedKill));
  const starts = runs.flatMap((attempts) => firstGood(attempts) ?? []).map(tookSeconds);
  const longest = Math.max(...starts);
  const about = { path: `${path}.startupProbe.failureThreshold`, current: failureThreshold };
  const enough = (seconds: number): number =>
    Math.max(3, Math.ceil(Math.max(10, MARGIN * seconds - initialDelaySeconds) / periodSeconds));
  const allows = `it allows ${inSeconds(budget)} (${failureThreshold} times ${periodSeconds} s)`;
  if (killed.length > 0) {
    const known =
      starts.length === 0
        ? 'it never succeeded'
        : `${counted(starts.length, 'start')} took ${inSeconds(longest)} at most`;
    const ended = `The startup probe ended the container in ${partOf(killed, runs, 'start')}`;
    const evidence = `${ended}: ${allows}; ${known}.`;
    const suggested = starts.length === 0 ? failureThreshold * 2 : Math.max(enough(longest), failureThreshold * 2);
    const what = 'Allow a longer start if the program is only slow; podrun probes shows each attempt.';
    return {
      rule: 'startup-budget-too-short',
      severity: 'problem',
      ...about,
      suggested,
      what,
      evidence,
      samples: runs.length,
    };
  }
  if (starts.length === 0) return undefined;
  const evidence = `${counted(starts.length, 'start')} took ${inSeconds(longest)} at most, and ${allows}.`;
  if (longest >= NEAR * budget && longest - initialDelaySeconds > periodSeconds) {
    const what = 'Allow a longer start: on a slower machine, podrun would kill the container before it has started.';
    return {
      rule: 'startup-budget-too-short',
      severity: 'risk',
      ...about,
      suggested: enough(longest),
      what,
      evidence,
      samples: starts.length,
    };
  }
  if (budget < FAR_SECONDS || budget < FAR * longest || enough(longest) >= failureThreshold) return undefined;
  const what = 'Allow less: a start that hangs is only noticed after this time.';
  return {
    rule: 'startup-budget-too-long',
    severity: 'tuning',
    ...about,
    suggested: enough(longest),
    what,
    evidence,
    samples: starts.length,
  };
}

/** Advice for a delay after which the first attempt always succeeds, or that repeats the wait of the startup probe. */
function initialDelay(container: ContainerEvidence, type: ProbeType): ContainerAdvice | undefined {
  const { path, spec } = container;
  const probe = probeOf(spec, type);
  if (probe === undefined) return undefined;
  const { initialDelaySeconds } = probeNumbers(probe);
  if (initialDelaySeconds < WORTH_SECONDS) return undefined;
  const firsts = attemptsByRun(container, type).flatMap((attempts) => attempts[0] ?? []);
  if (firsts.length === 0 || firsts.some((attempt) => wasGood(attempt) !== true)) return undefined;
  const about = {
    rule: 'initial-delay-unused',
    severity: 'tuning',
    path: `${path}.${type}Probe.initialDelaySeconds`,
    current: initialDelaySeconds,
    suggested: 0,
    samples: firsts.length,
  } as const;
  const at = inSeconds(Math.min(...firsts.map(({ offsetSeconds }) => offsetSeconds)));
  const succeeded = `The first attempt, ${at} after the start, succeeded in ${partOf(firsts, firsts, 'start')}`;
  const started = type === 'startup' ? [] : attemptsByRun(container, 'startup').flatMap((run) => firstGood(run) ?? []);
  if (started.length > 0) {
    const took = Math.max(...started.map(tookSeconds));
    const evidence = `${succeeded}; the startup probe had waited ${inSeconds(took)} for it.`;
    return { ...about, what: 'Remove the delay: the startup probe replaces it.', evidence };
  }
  // A liveness probe that begins late costs nothing.
  if (type === 'liveness') return undefined;
  const what = 'Remove the delay, so that podrun notices the start at once; a startupProbe covers a slow start.';
  return { ...about, what, evidence: `${succeeded}: the program may have been up long before.` };
}

function livenessBeforeStart(container: ContainerEvidence): ContainerAdvice | undefined {
  const { path, spec } = container;
  if (spec.livenessProbe === undefined || spec.startupProbe !== undefined) return undefined;
  const runs = attemptsByRun(container, 'liveness');
  const early = runs.filter((attempts) => attempts[0] !== undefined && wasGood(attempts[0]) === false);
  const killed = early.filter((attempts) => firstGood(attempts) === undefined && attempts.some(causedKill));
  const late = early.flatMap((attempts) => firstGood(attempts) ?? []).map(tookSeconds);
  if (killed.length === 0 && late.length === 0) return undefined;
  const { livenessProbe } = spec;
  const numbers = probeNumbers(livenessProbe);
  const longest = Math.max(numbers.periodSeconds * numbers.failureThreshold, ...late);
  const suggested: Probe = {
    ...handlerOf(livenessProbe),
    periodSeconds: 1,
    ...(numbers.timeoutSeconds === 1 ? {} : { timeoutSeconds: numbers.timeoutSeconds }),
    failureThreshold: Math.max(30, Math.ceil(MARGIN * longest)),
  };
  const evidence =
    killed.length > 0
      ? `In ${partOf(killed, runs, 'start')} the liveness probe failed from the first attempt on, ` +
        'until podrun killed the container.'
      : `The liveness probe failed at first in ${partOf(late, runs, 'start')}, ` +
        `and succeeded after ${inSeconds(Math.max(...late))} at the latest.`;
  const severity = killed.length > 0 ? 'problem' : 'risk';
  const what = 'Add a startup probe: until it has succeeded, the liveness probe does not run.';
  const about = { path: `${path}.startupProbe`, current: undefined, suggested };
  return { rule: 'liveness-before-start', severity, ...about, what, evidence, samples: runs.length };
}

function handlerOf({ exec, httpGet, tcpSocket, grpc }: Probe): Probe {
  return {
    ...(exec && { exec }),
    ...(httpGet && { httpGet }),
    ...(tcpSocket && { tcpSocket }),
    ...(grpc && { grpc }),
  };
}

/** Advice for a long period: the container became ready some time between the last failure and the first success. */
function slowPeriod(container: ContainerEvidence): ContainerAdvice | undefined {
  const { path, spec } = container;
  const type = spec.startupProbe === undefined ? 'readiness' : 'startup';
  const probe = probeOf(spec, type);
  if (probe === undefined) return undefined;
  const { periodSeconds, failureThreshold } = probeNumbers(probe);
  if (periodSeconds < SLOW_PERIOD_SECONDS) return undefined;
  const gaps = attemptsByRun(container, type).flatMap((attempts) => {
    const index = attempts.findIndex((attempt) => wasGood(attempt) === true);
    const [before, good] = [attempts[index - 1], attempts[index]];
    return before === undefined || good === undefined ? [] : [good.offsetSeconds - before.offsetSeconds];
  });
  const longest = Math.max(0, ...gaps);
  if (longest < Math.max(WORTH_SECONDS, periodSeconds / 2)) return undefined;
  const evidence =
    `In ${counted(gaps.length, 'start')} the ${type} probe failed at first, and was tried again up to ` +
    `${inSeconds(longest)} later: the container may have been up that long without being Ready.`;
  const shared = {
    rule: 'period-delays-ready',
    severity: 'tuning',
    evidence,
    samples: gaps.length,
  } as const;
  if (type === 'startup') {
    return {
      ...shared,
      path: `${path}.startupProbe`,
      current: { periodSeconds, failureThreshold },
      suggested: { periodSeconds: 1, failureThreshold: failureThreshold * periodSeconds },
      what: 'Probe every second, for as long as before.',
    };
  }
  return {
    ...shared,
    path: `${path}.startupProbe`,
    current: undefined,
    suggested: {
      ...handlerOf(probe),
      periodSeconds: 1,
      failureThreshold: Math.max(30, failureThreshold * periodSeconds),
    },
    what: 'Add a startup probe with a period of a second; the readiness probe follows at once after its success.',
  };
}

/** Advice for a container without a readiness probe, which is Ready before it listens. */
function readyBeforeListening(container: ContainerEvidence): ContainerAdvice | undefined {
  const { path, spec, role } = container;
  const { readinessProbe, startupProbe, livenessProbe } = spec;
  if (role === 'init' || readinessProbe !== undefined || startupProbe !== undefined || livenessProbe === undefined)
    return undefined;
  const late = attemptsByRun(container, 'liveness').flatMap((attempts) => {
    const isLate = attempts[0]?.errno === 'ECONNREFUSED';
    return isLate ? (firstGood(attempts) ?? []) : [];
  });
  if (late.length === 0) return undefined;
  const refused = inSeconds(Math.max(...late.map(({ offsetSeconds }) => offsetSeconds)));
  return {
    rule: 'ready-before-listening',
    severity: 'risk',
    path: `${path}.readinessProbe`,
    current: undefined,
    suggested: { ...handlerOf(livenessProbe), periodSeconds: 5 },
    what: 'Add a readiness probe, so that no request arrives before the program listens.',
    evidence:
      `The container counted as Ready from its start, but refused connections for up to ${refused} ` +
      `in ${counted(late.length, 'start')}.`,
    samples: late.length,
  };
}
