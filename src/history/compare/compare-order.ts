import type { Difference, Tolerance } from './difference.ts';
import type { Happening, RunStory } from '../story/model.ts';

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
