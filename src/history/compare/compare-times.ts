import type { Difference, Tolerance } from './difference.ts';
import type { ContainerStory, RunStory } from '../run-story.ts';
import { seconds } from '../expect/meet-steps.ts';

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
  const { conditions, containers, isOver, lengthMs } = story;
  const readyMs = conditions.get('Ready')?.trueMs;
  return [
    ...(readyMs === undefined ? [] : [{ subject: 'Pod', what: 'time to Ready', ms: readyMs }]),
    ...[...containers].flatMap(([name, container]) => containerSpans(name, container)),
    ...(isOver ? [{ subject: 'Pod', what: 'whole run', ms: lengthMs }] : []),
  ];
}

function containerSpans(subject: string, { attempts }: ContainerStory): Span[] {
  return attempts.flatMap(({ startedMs, exitedMs }, index) => {
    const endedBefore = attempts[index - 1]?.exitedMs;
    return [
      ...(startedMs === undefined || exitedMs === undefined
        ? []
        : [{ subject, what: `length of run ${index + 1}`, ms: exitedMs - startedMs }]),
      ...(endedBefore === undefined || startedMs === undefined
        ? []
        : [{ subject, what: `wait for run ${index + 1}`, ms: startedMs - endedBefore }]),
    ];
  });
}
