import type { PathStep } from '../../history/index.ts';
import { visibleControls } from '../text/terminal-text.ts';
import { stepDuration } from '../timeline/scale.ts';
import { stepText } from '../timeline/step-text.ts';

/** An applied Pod or workload in the summary of a run. */
export interface SummaryRow {
  /** `deployment/web` */
  readonly about: string;
  readonly isWell: boolean;
  readonly state: string;
  /** The time from the start of its last Pod until that was Ready, milliseconds. Undefined: it never was. */
  readonly readyMs: number | undefined;
  readonly restarts: number;
}

/** A step on the way of a Pod to Ready. */
export interface SummaryStep {
  readonly pod: string;
  readonly step: PathStep;
}

export interface RunSummary {
  readonly exitCode: number;
  readonly rows: readonly SummaryRow[];
  /** The last text on standard error: the causes of a failure, with their evidence. Empty: there is none. */
  readonly explanation: string;
  readonly steps: readonly SummaryStep[];
  /** COMMAND and its output. Undefined: it did not run. */
  readonly command: { readonly name: string; readonly output: string } | undefined;
}

const ROWS_MAX = 50;
const STEPS_MAX = 5;
const STEP_MIN_MS = 100;
const LINES_MAX = 30;
const COLUMNS_MAX = 500;

/**
 * The summary of a run as GitHub's Markdown: a table of what was applied, the first cause of a failure, the slowest
 * steps, and the end of the log. All texts of other programs are escaped.
 */
export function renderSummary({ exitCode, rows, explanation, steps, command }: RunSummary): string {
  const [cause] = /^error: .*/m.exec(explanation) ?? [];
  return [
    `### podrun: ${exitCode === 0 ? 'passed' : `failed with exit code ${exitCode}`}`,
    rows.length === 0 ? '' : tableOf(rows),
    cause === undefined ? '' : `**First cause:** ${markdown(cause.replace(/^error: /, ''))}`,
    explanation.trim() === '' ? '' : folded('The whole explanation', explanation, LINES_MAX * 2),
    stepsOf(steps),
    command === undefined || command.output.trim() === ''
      ? ''
      : folded(`End of the output of ${command.name}`, command.output, LINES_MAX),
  ]
    .filter((part) => part !== '')
    .map((part) => `${part}\n\n`)
    .join('');
}

function tableOf(rows: readonly SummaryRow[]): string {
  const lines = rows.slice(0, ROWS_MAX).map(({ about, isWell, state, readyMs, restarts }) => {
    const ready = readyMs === undefined ? '' : stepDuration(readyMs);
    return `| ${isWell ? '✅' : '❌'} | ${markdown(about)} | ${markdown(state)} | ${ready} | ${restarts} |`;
  });
  const rest = rows.length > ROWS_MAX ? [`| | … and ${rows.length - ROWS_MAX} more | | | |`] : [];
  return ['| | object | state | ready after | restarts |', '|---|---|---|---|---|', ...lines, ...rest].join('\n');
}

function stepsOf(steps: readonly SummaryStep[]): string {
  const slowest = steps
    .map(({ pod, step }) => ({ pod, text: stepText(step), ms: step.toMs - step.fromMs }))
    .filter(({ ms }) => ms >= STEP_MIN_MS)
    .toSorted((a, b) => b.ms - a.ms)
    .slice(0, STEPS_MAX);
  if (slowest.length === 0) return '';
  const lines = slowest.map(({ pod, text, ms }) => `| ${stepDuration(ms)} | ${markdown(pod)} | ${markdown(text)} |`);
  return ['| slowest steps | Pod | |', '|---|---|---|', ...lines].join('\n');
}

/** The last lines of a text, in a block that a reader can open. */
function folded(title: string, text: string, linesMax: number): string {
  const lines = text.trimEnd().split('\n');
  const last = lines.slice(-linesMax).map((line) => html(line.slice(0, COLUMNS_MAX)));
  const cut = lines.length > linesMax ? [`… ${lines.length - linesMax} lines before`] : [];
  return `<details><summary>${html(title)}</summary>\n\n<pre>\n${[...cut, ...last].join('\n')}\n</pre>\n</details>`;
}

/** Escapes a text for a line of Markdown, or a cell of a table. */
function markdown(text: string): string {
  return html(text.replaceAll(/\s+/g, ' ')).replaceAll(/[\\`*_{}[\]#|~@]/g, (mark) => `&#${mark.codePointAt(0)};`);
}

function html(text: string): string {
  const plain = visibleControls(text, { keepsColors: false });
  return plain.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
