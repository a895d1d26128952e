import type { Difference, Tolerance } from './difference.ts';
import type { Happening } from './happenings.ts';
import type { RunStory } from './run-story.ts';

interface Step {
  readonly name: string;
  readonly subject: string;
  readonly atMs: number;
}

/** Two steps that came one way round in the one run, and the other way round in the other. */
interface Swap {
  readonly first: Step;
  readonly second: Step;
  /** How far they are apart in the first run. */
  readonly distance: number;
  /** By how much that changed. */
  readonly shiftMs: number;
}

/** Pods whose containers start more often than that have their order compared as far as this. */
const STEPS_MAX = 400;

/**
 * Starts, exits and turns to Ready that came in another order, where they moved by more than the tolerance: what
 * happens at the same time comes in either order.
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
  return tellingOnes(swaps).map(({ first, second }) => ({
    kind: 'order',
    subject: first.subject,
    what: 'order',
    a: `${first.name} before ${second.name}`,
    b: `${second.name} before ${first.name}`,
  }));
}

/** When one step moves, it passes all that is in between: the nearest pair tells it, and each step is told of once. */
function tellingOnes(swaps: readonly Swap[]): Swap[] {
  const told = new Set<string>();
  return swaps
    .toSorted((a, b) => a.distance - b.distance)
    .filter(({ first, second }) => {
      if (told.has(first.name) || told.has(second.name)) return false;
      told.add(first.name).add(second.name);
      return true;
    });
}

function stepsIn(happenings: readonly Happening[]): Step[] {
  const seen = new Set<string>();
  return happenings
    .flatMap((one): Step[] => {
      if (one.what === 'started' || one.what === 'exited') {
        const run = one.attempt === 1 ? '' : `#${one.attempt}`;
        return [{ name: `${one.container}${run}.${one.what}`, subject: one.container, atMs: one.atMs }];
      }
      if (one.what !== 'condition' || one.type !== 'Ready' || one.status !== 'True') return [];
      return [{ name: 'pod.Ready', subject: 'Pod', atMs: one.atMs }];
    })
    .filter(({ name }) => !seen.has(name) && seen.add(name) !== undefined)
    .slice(0, STEPS_MAX);
}
