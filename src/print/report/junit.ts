import { visibleControls } from '../text/terminal-text.ts';

/** An expectation about a run, and its result. */
export interface JunitCase {
  /** The object of the case: `default/web`. */
  readonly about: string;
  /** For example `container app` or `readiness probe of app`. */
  readonly name: string;
  /** Undefined for a case without a duration. */
  readonly seconds?: number | undefined;
  /** `FILE:LINE` of the expectation. Not in the schema, but tools that annotate test files read it. */
  readonly place?: string | undefined;
  /** The output of the container. */
  readonly output?: string | undefined;
  readonly result:
    /** `remark` is a text of one or more lines that is worth knowing nevertheless. */
    | { readonly type: 'passed'; readonly remark?: string | undefined }
    /** `message` is one line, `text` the whole explanation. */
    | { readonly type: 'failed'; readonly message: string; readonly text: string }
    /** The run ended before the case was decided. */
    | { readonly type: 'skipped'; readonly message: string };
}

/** The cases of one Pod, or of one document of expectations. */
export interface JunitSuite {
  readonly name: string;
  /** RFC 3339. Undefined when the start is not known. */
  readonly startedAt?: string | undefined;
  readonly seconds?: number | undefined;
  readonly cases: readonly JunitCase[];
}

/**
 * Formats JUnit's XML with the elements that CI systems share: testsuites, testsuite, testcase with failure, skipped or
 * system-out.
 * @param name name of the whole report
 * @see https://github.com/testmoapp/junitxml
 */
export function renderJunit(name: string, suites: readonly JunitSuite[]): string {
  const all = suites.flatMap(({ cases }) => cases);
  const lines = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="${attribute(name)}" ${counts(all, false)}${time(spanOf(suites))}>`,
    ...suites.flatMap(suiteLines),
    '</testsuites>',
  ];
  return `${lines.join('\n')}\n`;
}

/** The seconds from the first start to the last end. With an unknown start, the length of the longest suite. */
function spanOf(suites: readonly JunitSuite[]): number | undefined {
  const timed = suites.flatMap(({ startedAt, seconds }) =>
    seconds === undefined ? [] : [{ seconds, startMs: startedAt === undefined ? Number.NaN : Date.parse(startedAt) }],
  );
  if (timed.length === 0) return undefined;
  const longest = Math.max(...timed.map(({ seconds }) => seconds));
  const firstMs = Math.min(...timed.map(({ startMs }) => startMs));
  const span = Math.max(...timed.map(({ startMs, seconds }) => (startMs - firstMs) / 1000 + seconds));
  return Number.isNaN(span) ? longest : span;
}

function suiteLines({ name, startedAt, seconds, cases }: JunitSuite): string[] {
  // The schema has times without a zone.
  const moment = startedAt?.replace(/(?:\.\d+)?Z$/, '');
  const timestamp = moment === undefined ? '' : ` timestamp="${attribute(moment)}"`;
  return [
    `  <testsuite name="${attribute(name)}" ${counts(cases)}${time(seconds)}${timestamp}>`,
    ...cases.flatMap(caseLines),
    '  </testsuite>',
  ];
}

function caseLines({ about, name, seconds, place, result, output }: JunitCase): string[] {
  const head = `classname="${attribute(about)}" name="${attribute(name)}"${time(seconds)}${placeOf(place)}`;
  const inside = [...resultElements(result), ...outputElements(result, output)];
  if (inside.length === 0) return [`    <testcase ${head}/>`];
  return [`    <testcase ${head}>`, ...inside.map((element) => `      ${element}`), '    </testcase>'];
}

function resultElements(result: JunitCase['result']): string[] {
  if (result.type === 'passed') return [];
  const message = `message="${attribute(result.message)}"`;
  if (result.type === 'skipped') return [`<skipped ${message}/>`];
  return [`<failure ${message} type="failure">${content(result.text)}</failure>`];
}

/** A single system-out: the schema allows one in a testcase. */
function outputElements(result: JunitCase['result'], output: string | undefined): string[] {
  const texts = [result.type === 'passed' ? result.remark : undefined, output].filter((text) => text !== undefined);
  return texts.length === 0 ? [] : [`<system-out>${content(texts.join('\n'))}</system-out>`];
}

function time(seconds: number | undefined): string {
  return seconds === undefined ? '' : ` time="${seconds.toFixed(3)}"`;
}

function placeOf(place = ''): string {
  const [, file, line] = /^(.*):(\d+)$/.exec(place) ?? [];
  return file === undefined ? '' : ` file="${attribute(file)}" line="${line}"`;
}

/** The counts of results. The schema has `skipped` in a testsuite, but not in testsuites. */
function counts(cases: readonly JunitCase[], hasSkipped = true): string {
  const count = (type: JunitCase['result']['type']): number => {
    return cases.filter(({ result }) => result.type === type).length;
  };
  const skipped = hasSkipped ? ` skipped="${count('skipped')}"` : '';
  return `tests="${cases.length}" failures="${count('failed')}" errors="0"${skipped}`;
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function content(text: string): string {
  return allowed(text).replaceAll(/[&<>"]/g, (character) => ENTITIES[character] ?? character);
}

/** Escapes an attribute. Line breaks are escaped too: a parser would turn them into blanks. */
function attribute(text: string): string {
  return content(text).replaceAll('\n', '&#10;').replaceAll('\t', '&#9;');
}

// oxlint-disable-next-line no-control-regex -- terminal colours
const COLOURS = /\u001b\[[\d;?]*[ -/]*[@-~]/g;
/** Characters that XML 1.0 does not allow, not even escaped: non-characters and unpaired surrogates. */
const IMPOSSIBLE = /[\ufffe\uffff]|\p{Surrogate}/gu;

function allowed(text: string): string {
  const lines = text.replaceAll(COLOURS, '').replaceAll(/\r\n?/g, '\n');
  return visibleControls(lines, { keepsColors: false }).replaceAll(IMPOSSIBLE, '\uFFFD');
}
