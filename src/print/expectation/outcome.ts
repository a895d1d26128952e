import { type Check, counted, type Outcome } from '../../history/index.ts';
import type { JunitCase, JunitSuite } from '../report/junit.ts';

/** The result of checking the expectations of one document against one run. */
export interface ExpectationOutcome extends Outcome {
  /** The name of the run. */
  readonly run: string;
  /** `FILE:LINE` of the document. */
  readonly place: string;
}

export function isMet({ checks }: ExpectationOutcome): boolean {
  return checks.every(({ met }) => met);
}

/**
 * Formats results for people: a line for each met document; for an unmet document, the unmet steps and what happened
 * instead.
 */
export function renderOutcomes(outcomes: readonly ExpectationOutcome[]): string {
  return outcomes.map(renderOutcome).join('');
}

function renderOutcome(outcome: ExpectationOutcome): string {
  const { run, place, checks, notLookedFor } = outcome;
  const unmet = checks.filter(({ met }) => !met);
  const total = checks.length + notLookedFor;
  if (unmet.length === 0) return `✓ ${run}: as expected, ${counted(total, 'expectation')} (${place})\n`;
  const heading = `✗ ${run}: not as expected, ${unmet.length} of ${counted(total, 'expectation')} not met (${place})\n`;
  const rest = notLookedFor === 0 ? '' : `  ${counted(notLookedFor, 'step')} after that not checked\n`;
  return heading + unmet.map((check) => checkLines(check)).join('') + rest;
}

function checkLines(check: Check): string {
  const lines = [`  ${check.place}: ${check.text}`, ...problemLines(check).map((line) => `    ${line}`)];
  return `${lines.join('\n')}\n`;
}

/** The problem of an unmet expectation, then the lines of what happened. */
function problemLines(check: Check): string[] {
  if (check.met) return [];
  return [check.problem, ...check.seen.map((line) => `seen: ${line}`)];
}

/** Formats results for CI servers: a suite for each run, a case for each expectation. */
export function outcomeSuites(outcomes: readonly ExpectationOutcome[]): JunitSuite[] {
  return outcomes.map(({ run, checks }) => ({
    name: run,
    cases: checks.map((check): JunitCase => {
      const { place, text: name } = check;
      if (check.met) return { about: run, name, place, result: { type: 'passed' } };
      const text = problemLines(check).join('\n');
      return { about: run, name, place, result: { type: 'failed', message: check.problem, text } };
    }),
  }));
}

/** The record of a result for `expect -o json`. */
export function outcomeRecord(outcome: ExpectationOutcome): object {
  const { run, place, checks, notLookedFor } = outcome;
  return {
    run,
    place,
    met: isMet(outcome),
    checks: checks.map((check) => {
      const { place: at, text, met } = check;
      if (!check.met) return { place: at, expected: text, met, problem: check.problem, seen: check.seen };
      return {
        place: at,
        expected: text,
        met,
        ...(check.atMs === undefined ? {} : { atSeconds: rounded(check.atMs) }),
      };
    }),
    notLookedFor,
  };
}

function rounded(ms: number): number {
  return Math.round(ms) / 1000;
}
