import type { WrittenPattern } from './expectation.ts';
import type { Happening } from '../story/model.ts';
import { happeningText, likeness, matches, patternText } from './pattern-match.ts';

/** The result of one expectation. */
export type Check = {
  /** `FILE:LINE`. */
  readonly place: string;
  /** The expectation as written: `exited: main, code: 0`. */
  readonly text: string;
} & (
  | {
      readonly met: true;
      /** The time of the match, milliseconds after the creation of the Pod. Undefined: the expectation has no time. */
      readonly atMs?: number;
    }
  | {
      readonly met: false;
      /** The problem, for people: `never came after started: main (0.204s)`. */
      readonly problem: string;
      /** The actual happenings, for people, the most similar first. */
      readonly seen: readonly string[];
    }
);

/** The progress through the steps. */
interface StepsProgress {
  /** The first transition in which the next step may be. */
  readonly transition: number;
  readonly atMs: number;
  /** The previous step, for messages. */
  readonly after: string;
  readonly used: ReadonlySet<number>;
}

const NEAREST_MAX = 3;

/**
 * Finds the steps in the happenings of a run: each step is the first match after the previous one. Stops at the first
 * step that fails.
 */
export function meetSteps(steps: ReadonlyArray<readonly WrittenPattern[]>, story: readonly Happening[]): Check[] {
  const checks: Check[] = [];
  let position: StepsProgress = { transition: 0, atMs: 0, after: 'the creation of the Pod', used: new Set() };
  for (const group of steps) {
    const matches = findGroup(group, story, position);
    const checked = group.map((written, index) => checkOf(written, matches[index], { story, position }));
    checks.push(...checked);
    if (checked.some(({ met }) => !met)) return checks;
    position = positionAfter(group, matches as readonly number[], { story, position });
  }
  return checks;
}

interface StepContext {
  readonly story: readonly Happening[];
  readonly position: StepsProgress;
}

function positionAfter(
  group: readonly WrittenPattern[],
  matches: readonly number[],
  { story, position }: StepContext,
): StepsProgress {
  const last = Math.max(-1, ...matches);
  const placed = story[last];
  if (placed === undefined) return position;
  const written = group[matches.indexOf(last)];
  return {
    transition: placed.transition,
    atMs: placed.atMs,
    after: written === undefined ? position.after : patternText(written.pattern),
    used: new Set([...position.used, ...matches]),
  };
}

/**
 * Assigns a happening to each pattern of a group, the earliest possible. Undefined: there is none for the pattern. A
 * happening may take over a pattern whose current match fits another pattern.
 */
function findGroup(
  group: readonly WrittenPattern[],
  story: readonly Happening[],
  { transition, used }: StepsProgress,
): Array<number | undefined> {
  const taken: Array<number | undefined> = group.map(() => undefined);
  for (const [index, placed] of story.entries()) {
    if (placed.transition < transition || used.has(index)) continue;
    if (assign(index, group, { story, taken, tried: new Set() }) && !taken.includes(undefined)) break;
  }
  return taken;
}

interface StepAssignment {
  readonly story: readonly Happening[];
  readonly taken: Array<number | undefined>;
  readonly tried: Set<number>;
}

/** Assigns a happening to a free pattern, or to one whose current match can move to another pattern. */
function assign(index: number, group: readonly WrittenPattern[], assignment: StepAssignment): boolean {
  const { story, taken, tried } = assignment;
  const placed = story[index];
  if (placed === undefined) return false;
  for (const [place, { pattern }] of group.entries()) {
    if (tried.has(place) || !matches(pattern, placed)) continue;
    tried.add(place);
    const before = taken[place];
    if (before !== undefined && !assign(before, group, assignment)) continue;
    taken[place] = index;
    return true;
  }
  return false;
}

function checkOf(
  { pattern, withinMs, afterMs, place }: WrittenPattern,
  index: number | undefined,
  at: StepContext,
): Check {
  const { story, position } = at;
  const text = patternText(pattern);
  const happening = index === undefined ? undefined : story[index];
  if (happening === undefined) {
    const seen = nearest(pattern, at);
    return { place, text, met: false, problem: `never came after ${position.after} (${seconds(position.atMs)})`, seen };
  }
  const gapMs = happening.atMs - position.atMs;
  const came = `came ${seconds(gapMs)} after ${position.after}`;
  const seen = [happeningLine(happening)];
  if (withinMs !== undefined && gapMs > withinMs) {
    return { place, text, met: false, problem: `${came}, and not within ${seconds(withinMs)}`, seen };
  }
  if (afterMs !== undefined && gapMs < afterMs) {
    return { place, text, met: false, problem: `${came}, and not after ${seconds(afterMs)}`, seen };
  }
  return { place, text, met: true, atMs: happening.atMs };
}

/** The happenings most similar to a failed pattern: matches that came too early, else partial matches. */
function nearest({ ...pattern }: WrittenPattern['pattern'], { story, position }: StepContext): string[] {
  const early = story.filter((happening) => matches(pattern, happening));
  if (early.length > 0) {
    return early.slice(-NEAREST_MAX).map((happening) => `${happeningLine(happening)}: before that`);
  }
  const like = story
    .filter((_, index) => !position.used.has(index))
    .map((happening) => ({
      happening,
      score: likeness(pattern, happening),
      isLate: happening.transition >= position.transition,
    }))
    .filter(({ score }) => score > 0);
  const best = Math.max(0, ...like.map(({ score }) => score));
  const alike = like.filter(({ score }) => score === best);
  const later = alike.filter(({ isLate }) => isLate);
  return (later.length > 0 ? later : alike).slice(0, NEAREST_MAX).map(({ happening }) => happeningLine(happening));
}

/** `1.204s  exited: main, code: 1`. */
export function happeningLine(happening: Happening): string {
  return `${seconds(happening.atMs)}  ${happeningText(happening)}`;
}

export function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(3)}s`;
}
