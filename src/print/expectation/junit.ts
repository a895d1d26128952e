import { type ExpectationOutcome, problemLines } from './outcome.ts';

/** Outcomes as JUnit's XML, as CI servers read it: a suite for each run, a case for each expectation. */
export function renderJunit(outcomes: readonly ExpectationOutcome[]): string {
  const suites = outcomes.map((outcome) => suite(outcome)).join('');
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="podrun expect">\n${suites}</testsuites>\n`;
}

function suite({ run, checks }: ExpectationOutcome): string {
  const failures = checks.filter(({ met }) => !met).length;
  const cases = checks
    .map((check) => {
      const [file = '', line = ''] = /^(.*):(\d+)$/.exec(check.place)?.slice(1) ?? [];
      const where = `file=${quoted(file)} line=${quoted(line)}`;
      const head = `    <testcase classname=${quoted(run)} name=${quoted(check.text)} ${where}`;
      if (check.met) return `${head}/>\n`;
      const text = escaped(problemLines(check).join('\n'));
      return `${head}>\n      <failure message=${quoted(check.problem)}>${text}</failure>\n    </testcase>\n`;
    })
    .join('');
  const counts = `tests="${checks.length}" failures="${failures}"`;
  return `  <testsuite name=${quoted(run)} ${counts}>\n${cases}  </testsuite>\n`;
}

function quoted(text: string): string {
  return `"${escaped(text).replaceAll('"', '&quot;').replaceAll('\n', '&#10;')}"`;
}

/** XML 1.0 has no way to write most control characters. */
function escaped(text: string): string {
  return text
    .replaceAll(/(?![\t\n\r])\p{Cc}|[\uFFFE\uFFFF]/gu, '\uFFFD')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
}
