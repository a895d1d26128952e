import type { WrittenPattern } from '../api/expectation.ts';
import type { Happening } from './happenings.ts';
import { happeningText, likeness, matches, patternText } from './pattern-match.ts';

/** One thing that was expected. */
export type Check = {
  /** `FILE:LINE`. */
  readonly place: string;
  /** As it is written: `exited: main, code: 0`. */
  readonly text: string;
} & (
  | {
      readonly met: true;
      /** When it came, milliseconds after the creation of the Pod; undefined where it is no moment. */
      readonly atMs?: number;
    }
  | {
      readonly met: false;
      /** Why not, for people: `never came after started: main (0.204s)`. */
      readonly problem: string;
      /** What there was instead, for people, the nearest first. */
      readonly seen: readonly string[];
    }
);

/** What happened, and in which state of the Pod: what a state tells first may have happened last. */
export interface Placed {
  readonly happening: Happening;
  readonly state: number;
}

/** How far the steps have come. */
interface Position {
  /** The state from which on the next step is looked for. */
  readonly state: number;
  readonly atMs: number;
  /** What the step before was, for messages. */
  readonly after: string;
  readonly used: ReadonlySet<number>;
}

const NEAREST_MAX = 3;

/**
 * Finds the steps in what happened, one after the other: each is the first match after the one before. Ends at the
 * first that is not met.
 */
export function meetSteps(steps: ReadonlyArray<readonly WrittenPattern[]>, story: readonly Placed[]): Check[] {
  const checks: Check[] = [];
  let position: Position = { state: 0, atMs: 0, after: 'the creation of the Pod', used: new Set() };
  for (const group of steps) {
    const found = findGroup(group, story, position);
    const told = group.map((written, index) => checkOf(written, found[index], { story, position }));
    checks.push(...told);
    if (told.some(({ met }) => !met)) return checks;
    position = positionAfter(group, found as readonly number[], { story, position });
  }
  return checks;
}

interface Looking {
  readonly story: readonly Placed[];
  readonly position: Position;
}

function positionAfter(
  group: readonly WrittenPattern[],
  found: readonly number[],
  { story, position }: Looking,
): Position {
  const last = Math.max(-1, ...found);
  const placed = story[last];
  if (placed === undefined) return position;
  const written = group[found.indexOf(last)];
  return {
    state: placed.state,
    atMs: placed.happening.atMs,
    after: written === undefined ? position.after : patternText(written.pattern),
    used: new Set([...position.used, ...found]),
  };
}

/**
 * The first happenings that are what a group of patterns means, one for each; undefined for those that have none. Looks
 * through what happened, and lets each thing take the place of a pattern that can do with another one.
 */
function findGroup(
  group: readonly WrittenPattern[],
  story: readonly Placed[],
  { state, used }: Position,
): Array<number | undefined> {
  const taken: Array<number | undefined> = group.map(() => undefined);
  for (const [index, placed] of story.entries()) {
    if (placed.state < state || used.has(index)) continue;
    if (give(index, group, { story, taken, tried: new Set() }) && !taken.includes(undefined)) break;
  }
  return taken;
}

interface Giving {
  readonly story: readonly Placed[];
  readonly taken: Array<number | undefined>;
  readonly tried: Set<number>;
}

/** Gives what happened to a pattern that has nothing yet, or whose own goes to another one. */
function give(index: number, group: readonly WrittenPattern[], giving: Giving): boolean {
  const { story, taken, tried } = giving;
  const placed = story[index];
  if (placed === undefined) return false;
  for (const [place, { pattern }] of group.entries()) {
    if (tried.has(place) || !matches(pattern, placed.happening)) continue;
    tried.add(place);
    const before = taken[place];
    if (before !== undefined && !give(before, group, giving)) continue;
    taken[place] = index;
    return true;
  }
  return false;
}

function checkOf({ pattern, withinMs, afterMs, place }: WrittenPattern, found: number | undefined, at: Looking): Check {
  const { story, position } = at;
  const text = patternText(pattern);
  const happening = found === undefined ? undefined : story[found]?.happening;
  if (happening === undefined) {
    const seen = nearest(pattern, at);
    return { place, text, met: false, problem: `never came after ${position.after} (${seconds(position.atMs)})`, seen };
  }
  const gapMs = happening.atMs - position.atMs;
  const came = `came ${seconds(gapMs)} after ${position.after}`;
  const seen = [line(happening)];
  if (withinMs !== undefined && gapMs > withinMs) {
    return { place, text, met: false, problem: `${came}, and not within ${seconds(withinMs)}`, seen };
  }
  if (afterMs !== undefined && gapMs < afterMs) {
    return { place, text, met: false, problem: `${came}, and not after ${seconds(afterMs)}`, seen };
  }
  return { place, text, met: true, atMs: happening.atMs };
}

/** What comes nearest to a pattern that was not met: what it means, but too early; else what is like it. */
function nearest({ ...pattern }: WrittenPattern['pattern'], { story, position }: Looking): string[] {
  const early = story.filter(({ happening }) => matches(pattern, happening));
  if (early.length > 0) {
    return early.slice(-NEAREST_MAX).map(({ happening }) => `${line(happening)}: before that`);
  }
  const like = story
    .filter((_, index) => !position.used.has(index))
    .map(({ happening, state }) => ({
      happening,
      score: likeness(pattern, happening),
      isLate: state >= position.state,
    }))
    .filter(({ score }) => score > 0);
  const best = Math.max(0, ...like.map(({ score }) => score));
  const alike = like.filter(({ score }) => score === best);
  const later = alike.filter(({ isLate }) => isLate);
  return (later.length > 0 ? later : alike).slice(0, NEAREST_MAX).map(({ happening }) => line(happening));
}

/** `1.204s  exited: main, code: 1`. */
export function line(happening: Happening): string {
  return `${seconds(happening.atMs)}  ${happeningText(happening)}`;
}

export function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(3)}s`;
}
