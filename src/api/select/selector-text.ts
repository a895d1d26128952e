import { compareText } from '../go/go-text.ts';
import type { LabelSelector } from '../generated/types.ts';

const OPERATORS: Readonly<Record<string, (key: string, values: string) => string>> = {
  In: (key, values) => `${key} in (${values})`,
  NotIn: (key, values) => `${key} notin (${values})`,
  Exists: (key) => key,
  DoesNotExist: (key) => `!${key}`,
};

/** A label selector on one line, in the syntax of `-l`: `app=web,tier in (a,b),!old`, sorted by key. */
export function selectorText(selector: LabelSelector | undefined): string {
  const labels = Object.entries(selector?.matchLabels ?? {});
  const equal = labels.map(([key, value]) => ({ key, text: `${key}=${value}` }));
  const expressions = (selector?.matchExpressions ?? []).map(({ key, operator, values = [] }) => ({
    key,
    text: OPERATORS[operator]?.(key, values.toSorted(compareText).join(',')) ?? key,
  }));
  const requirements = [...equal, ...expressions].toSorted((a, b) => compareText(a.key, b.key));
  return requirements.map(({ text }) => text).join(',') || '<none>';
}
