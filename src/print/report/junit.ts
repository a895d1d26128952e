/** Something that was expected of a run, and what came of it. */
export interface ReportCase {
  /** What it is about: `default/web`. */
  readonly about: string;
  /** For example `container app` or `readiness probe of app`. */
  readonly name: string;
  readonly seconds: number;
  readonly result:
    | { readonly type: 'passed' }
    /** `message` is one line, `text` all there is to say. */
    | { readonly type: 'failed'; readonly message: string; readonly text: string }
    /** Nobody knows: it did not come so far. */
    | { readonly type: 'skipped'; readonly message: string };
}

/** The cases of one Pod. */
export interface ReportSuite {
  readonly name: string;
  /** RFC 3339. */
  readonly startedAt: string;
  readonly seconds: number;
  readonly cases: readonly ReportCase[];
}

/**
 * JUnit's XML, in the form that CI systems agree on: testsuites, testsuite, testcase with failure or skipped.
 * @see https://github.com/testmoapp/junitxml
 */
export function renderJunit(suites: readonly ReportSuite[]): string {
  const all = suites.flatMap(({ cases }) => cases);
  const seconds = Math.max(0, ...suites.map((suite) => suite.seconds));
  const lines = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="podrun" ${counts(all, false)} time="${seconds.toFixed(3)}">`,
    ...suites.flatMap(suiteLines),
    '</testsuites>',
  ];
  return `${lines.join('\n')}\n`;
}

function suiteLines({ name, startedAt, seconds, cases }: ReportSuite): string[] {
  // Without a zone: so the schema has it.
  const timestamp = startedAt.replace(/(?:\.\d+)?Z$/, '');
  const time = `time="${seconds.toFixed(3)}" timestamp="${attribute(timestamp)}"`;
  return [
    `  <testsuite name="${attribute(name)}" ${counts(cases)} ${time}>`,
    ...cases.flatMap(caseLines),
    '  </testsuite>',
  ];
}

function caseLines({ about, name, seconds, result }: ReportCase): string[] {
  const head = `classname="${attribute(about)}" name="${attribute(name)}" time="${seconds.toFixed(3)}"`;
  if (result.type === 'passed') return [`    <testcase ${head}/>`];
  const message = `message="${attribute(result.message)}"`;
  const inside =
    result.type === 'skipped'
      ? `<skipped ${message}/>`
      : `<failure ${message} type="failure">${content(result.text)}</failure>`;
  return [`    <testcase ${head}>`, `      ${inside}`, '    </testcase>'];
}

/** The common schema knows `skipped` of a testsuite, and not of all together. */
function counts(cases: readonly ReportCase[], hasSkipped = true): string {
  const count = (type: ReportCase['result']['type']): number => {
    return cases.filter(({ result }) => result.type === type).length;
  };
  const skipped = hasSkipped ? ` skipped="${count('skipped')}"` : '';
  return `tests="${cases.length}" failures="${count('failed')}" errors="0"${skipped}`;
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function content(text: string): string {
  return allowed(text).replaceAll(/[&<>"]/g, (character) => ENTITIES[character] ?? character);
}

/** Line breaks would become blanks. */
function attribute(text: string): string {
  return content(text).replaceAll('\n', '&#10;').replaceAll('\t', '&#9;');
}

// Terminal colours; what XML 1.0 cannot hold at all, not even escaped; halves of characters.
// oxlint-disable-next-line no-control-regex
const COLOURS = /\u001b\[[\d;?]*[ -/]*[@-~]/g;
// oxlint-disable-next-line no-control-regex
const IMPOSSIBLE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Surrogate}/gu;

function allowed(text: string): string {
  return text.replaceAll(COLOURS, '').replaceAll(/\r\n?/g, '\n').replaceAll(IMPOSSIBLE, '\uFFFD');
}
