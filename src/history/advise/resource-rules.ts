import { parseQuantity, quantityMilliValue, quantityValue } from '../../api/index.ts';
import { NO_ROOM, roomIn, TERMINATED } from '../../lifecycle/index.ts';
import type { RecordedUsage } from '../../machine/index.ts';
import type { RecordedRun } from '../base/recorded-run.ts';
import { type Advice, adviceFor, type ContainerAdvice, inSeconds, partOf } from './advice.ts';
import { type ContainerEvidence, isEnded, secondsOf } from './evidence.ts';

const MIB = 1024 * 1024;
const NEAR = 0.85;
/** Below this part of a limit, the usage shows that the limit is too high. */
const UNUSED = 0.25;
/** A container that has run for less time may have done no work yet. */
const LONG_SECONDS = 60;
const LIMIT_WORTH_BYTES = 128 * MIB;
/** With fewer CPU periods, the start of the program dominates. */
const PERIODS_MIN = 20;
const THROTTLED = 0.1;

/** Advice from the usage of containers and their requests and limits. */
export function resourceAdvice(container: ContainerEvidence): Advice[] {
  return adviceFor(container.name, [...memory(container), cpu(container)]);
}

function memory(container: ContainerEvidence): Array<ContainerAdvice | undefined> {
  const { path, spec, runs, usages } = container;
  const limit = bytesOf(spec.resources?.limits?.['memory']);
  const request = bytesOf(spec.resources?.requests?.['memory']);
  const killed = runs.filter(({ exit }) => exit?.reason === TERMINATED.oomKilled);
  const about = { path: `${path}.resources.limits.memory`, current: spec.resources?.limits?.['memory'] };
  if (killed.length > 0 && limit !== undefined) {
    const after = inSeconds(Math.min(...killed.map(secondsOf)));
    return [
      {
        ...about,
        rule: 'out-of-memory',
        severity: 'problem',
        suggested: inMebibytes(limit * 2),
        what: 'Raise the limit, or find out what uses the memory: this run does not show the real need.',
        evidence:
          `The container was killed at its limit of ${inMebibytes(limit)} in ${partOf(killed, runs, 'run')}, ` +
          `after ${after} at the soonest.`,
        samples: runs.length,
      },
    ];
  }
  const peaks = usages.flatMap((usage) => peakOf(usage) ?? []);
  const peak = Math.max(0, ...peaks);
  const advice: ContainerAdvice[] = [];
  if (limit !== undefined && peak >= NEAR * limit) {
    advice.push({
      ...about,
      rule: 'memory-near-limit',
      severity: 'risk',
      suggested: inMebibytes(peak * 1.5),
      what: 'Raise the limit: beyond it, the container is killed.',
      evidence: `The container used at most ${inMebibytes(peak)} of ${inMebibytes(limit)}.`,
      samples: peaks.length,
    });
  }
  if (request !== undefined && peak > request * 1.1) {
    advice.push({
      ...about,
      path: `${path}.resources.requests.memory`,
      current: spec.resources?.requests?.['memory'],
      rule: 'memory-over-request',
      severity: 'risk',
      suggested: inMebibytes(peak * 1.1),
      what: 'Request the memory in use: a node without memory first evicts Pods that use more than they request.',
      evidence: `The container used at most ${inMebibytes(peak)} and requests ${inMebibytes(request)}.`,
      samples: peaks.length,
    });
  }
  return [...advice, unusedLimit(container, limit, about)];
}

function unusedLimit(
  { runs, usages }: ContainerEvidence,
  limit: number | undefined,
  about: Pick<ContainerAdvice, 'path' | 'current'>,
): ContainerAdvice | undefined {
  const longest = Math.max(0, ...runs.filter(isEnded).map(secondsOf));
  // Include the page cache here: it makes the usage rather too high than too low.
  const peaks = usages.flatMap(({ groupPeakBytes, processPeakBytes }) => groupPeakBytes ?? processPeakBytes ?? []);
  const peak = Math.max(0, ...peaks);
  if (limit === undefined || limit < LIMIT_WORTH_BYTES || peak === 0) return undefined;
  if (longest < LONG_SECONDS || peak > UNUSED * limit) return undefined;
  return {
    ...about,
    rule: 'memory-limit-unused',
    severity: 'tuning',
    suggested: inMebibytes(Math.max(peak * 2, LIMIT_WORTH_BYTES / 2)),
    what: 'Allow less, if this run had its full load.',
    evidence: `The container used at most ${inMebibytes(peak)} of ${inMebibytes(limit)}, in ${inSeconds(longest)}.`,
    samples: peaks.length,
  };
}

function cpu({ path, spec, runs, usages }: ContainerEvidence): ContainerAdvice | undefined {
  const limit = spec.resources?.limits?.['cpu'];
  if (limit === undefined) return undefined;
  const worst = usages.toSorted((a, b) => throttledPart(a) - throttledPart(b)).at(-1);
  if (worst === undefined || throttledPart(worst) < THROTTLED) return undefined;
  const { cpuPeriods = 0, cpuPeriodsThrottled = 0, cpuSeconds, restartCount } = worst;
  const run = runs.find((candidate) => candidate.attempt === restartCount);
  const seconds = run?.exit === undefined ? undefined : secondsOf(run);
  const millis = Number(quantityMilliValue(parseQuantity(limit)));
  const part = Math.round(100 * throttledPart(worst));
  const spent =
    cpuSeconds === undefined || seconds === undefined
      ? ''
      : `, and spent ${inSeconds(cpuSeconds)} of CPU in ${inSeconds(seconds)}`;
  return {
    rule: 'cpu-throttled',
    severity: 'risk',
    path: `${path}.resources.limits.cpu`,
    current: limit,
    suggested: `${Math.ceil((millis * 2) / 50) * 50}m`,
    what: 'Raise the limit, or leave it out: a throttled container responds late, also to probes.',
    evidence: `The container was throttled in ${cpuPeriodsThrottled} of ${cpuPeriods} periods (${part} %)${spent}.`,
    samples: cpuPeriods,
  };
}

function throttledPart({ cpuPeriods = 0, cpuPeriodsThrottled = 0 }: RecordedUsage): number {
  return cpuPeriods < PERIODS_MIN ? 0 : cpuPeriodsThrottled / cpuPeriods;
}

/**
 * The memory that a run really needed at its peak. The cgroup counts the page cache, and the processes count shared
 * memory: both are upper bounds, so the smaller one is better. Undefined without a measurement of the processes: the
 * cgroup may have been full of page cache.
 */
function peakOf({ groupPeakBytes, processPeakBytes }: RecordedUsage): number | undefined {
  return processPeakBytes === undefined ? undefined : Math.min(processPeakBytes, groupPeakBytes ?? processPeakBytes);
}

function bytesOf(quantity: string | undefined): number | undefined {
  return quantity === undefined ? undefined : Number(quantityValue(parseQuantity(quantity)));
}

/** Rounds up to the form of manifests: `96Mi`. */
function inMebibytes(bytes: number): string {
  return `${Math.ceil(bytes / MIB)}Mi`;
}

/** Advice for a Pod that waited since this machine has less than it requests. */
export function roomAdvice({ transitions }: RecordedRun): Advice[] {
  const events = transitions.flatMap(({ object }) => (object.kind === 'Event' ? [object] : []));
  const notices = events.filter(({ reason }) => reason === NO_ROOM);
  const last = notices.at(-1);
  if (last === undefined) return [];
  return [
    {
      rule: 'no-room-on-node',
      severity: 'problem',
      container: undefined,
      path: 'spec.containers[*].resources.requests',
      current: undefined,
      suggested: undefined,
      what: 'Start it with podrun apply --overcommit, which records requests and does not count them.',
      evidence: `The Pod waited: ${roomIn(last.message ?? '')}.`,
      samples: notices.length,
    },
  ];
}
