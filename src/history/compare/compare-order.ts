import { seconds } from '../expect/meet-steps.ts';
import { hasStarted } from '../story/container-story.ts';
import type { ContainerStory, Happening, RunStory } from '../story/model.ts';
import { firstTrueMs } from '../story/pod-spans.ts';
import { lengthOf } from '../story/run-story.ts';
import type { Difference, Tolerance } from './difference.ts';

interface ComparedStep {
  readonly name: string;
  readonly subject: string;
  readonly atMs: number;
}

/** Two steps in another order in the other run. */
interface Swap {
  readonly first: ComparedStep;
  readonly second: ComparedStep;
  /** The number of steps between them in the first run. */
  readonly distance: number;
  /** The change of the time between them. */
  readonly shiftMs: number;
}

/** The most steps of a run that are compared. */
const STEPS_MAX = 400;

/**
 * Compares the order of starts, exits and changes to Ready. Ignores swaps within the tolerance: simultaneous steps come
 * in either order.
 */
export function compareOrder(a: RunStory, b: RunStory, { minMs }: Tolerance): Difference[] {
  const others = new Map(stepsIn(b.happenings).map((step, index) => [step.name, { ...step, index }]));
  const common = stepsIn(a.happenings).flatMap((step) => {
    const other = others.get(step.name);
    return other === undefined ? [] : [{ step, other }];
  });
  const swaps: Swap[] = [];
  for (const [index, { step: first, other: firstThere }] of common.entries()) {
    for (const [further, { step: second, other: secondThere }] of common.slice(index + 1).entries()) {
      if (firstThere.index < secondThere.index) continue;
      const shiftMs = second.atMs - first.atMs + firstThere.atMs - secondThere.atMs;
      if (shiftMs > minMs) swaps.push({ first, second, distance: further, shiftMs });
    }
  }
  return nearestSwaps(swaps).map(({ first, second }) => ({
    kind: 'order',
    subject: first.subject,
    what: 'order',
    a: `${first.name} before ${second.name}`,
    b: `${second.name} before ${first.name}`,
  }));
}

/** Keeps the nearest pairs, each step once: a step that moves swaps with every step that it passes. */
function nearestSwaps(swaps: readonly Swap[]): Swap[] {
  const used = new Set<string>();
  return swaps
    .toSorted((a, b) => a.distance - b.distance)
    .filter(({ first, second }) => {
      if (used.has(first.name) || used.has(second.name)) return false;
      used.add(first.name).add(second.name);
      return true;
    });
}

function stepsIn(happenings: readonly Happening[]): ComparedStep[] {
  const seen = new Set<string>();
  return happenings
    .flatMap((happening): ComparedStep[] => {
      if (happening.what === 'started' || happening.what === 'exited') {
        const run = happening.run === 1 ? '' : `#${happening.run}`;
        return [
          {
            name: `${happening.container}${run}.${happening.what}`,
            subject: happening.container,
            atMs: happening.atMs,
          },
        ];
      }
      if (happening.what !== 'condition' || happening.type !== 'Ready' || happening.status !== 'True') return [];
      return [{ name: 'pod.Ready', subject: 'Pod', atMs: happening.atMs }];
    })
    .filter(({ name }) => !seen.has(name) && seen.add(name) !== undefined)
    .slice(0, STEPS_MAX);
}

/** A duration. */
interface Span {
  readonly subject: string;
  readonly what: string;
  readonly ms: number;
}

/** Compares durations that both runs have. Ignores differences within the tolerance. */
export function compareTimes(a: RunStory, b: RunStory, { share, minMs }: Tolerance): Difference[] {
  const others = new Map(spansOf(b).map((span) => [keyOf(span), span.ms]));
  return spansOf(a).flatMap((span): Difference[] => {
    const ms = others.get(keyOf(span));
    if (ms === undefined || Math.abs(ms - span.ms) <= Math.max(minMs, share * span.ms)) return [];
    const { subject, what } = span;
    return [{ kind: 'duration', subject, what, a: seconds(span.ms), b: seconds(ms), aMs: span.ms, bMs: ms }];
  });
}

const keyOf = ({ subject, what }: Span): string => `${subject}\n${what}`;

function spansOf(story: RunStory): Span[] {
  const { conditions, containers, isOver } = story;
  const readyMs = firstTrueMs(conditions, 'Ready');
  return [
    ...(readyMs === undefined ? [] : [{ subject: 'Pod', what: 'time to Ready', ms: readyMs }]),
    ...containers.flatMap(containerSpans),
    ...(isOver ? [{ subject: 'Pod', what: 'whole run', ms: lengthOf(story) }] : []),
  ];
}

function containerSpans({ name: subject, attempts }: ContainerStory): Span[] {
  return attempts.filter(hasStarted).flatMap(({ attempt, exit, fromMs, toMs }) => {
    const before = attempts.find((other) => other.attempt === attempt - 1);
    return [
      ...(exit === undefined ? [] : [{ subject, what: `length of run ${attempt + 1}`, ms: toMs - fromMs }]),
      ...(before?.exit === undefined
        ? []
        : [{ subject, what: `wait for run ${attempt + 1}`, ms: fromMs - before.toMs }]),
    ];
  });
}
