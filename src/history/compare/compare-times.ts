import type { Difference, Tolerance } from './difference.ts';
import { hasStarted } from '../story/container-story.ts';
import type { ContainerStory, RunStory } from '../story/model.ts';
import { firstTrueMs } from '../story/pod-spans.ts';
import { lengthOf } from '../story/run-story.ts';
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
