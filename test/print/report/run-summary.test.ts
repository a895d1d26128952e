import { expect, it } from 'vitest';
import { renderSummary } from '../../../src/print/report/run-summary.ts';

const NOTHING = { exitCode: 0, rows: [], explanation: '', steps: [], command: undefined } as const;

it('says only the verdict where there is nothing else', () => {
  expect(renderSummary(NOTHING)).toBe('### podrun: passed\n\n');
});

it('has a row for each object, with texts of programs escaped', () => {
  const row = { about: 'job/a_b', isWell: false, state: 'failed | <b>\n@team', readyMs: undefined, restarts: 2 };
  expect(renderSummary({ ...NOTHING, exitCode: 1, rows: [row, { ...row, isWell: true, readyMs: 1200 }] })).toBe(
    '### podrun: failed with exit code 1\n\n' +
      '| | object | state | ready after | restarts |\n|---|---|---|---|---|\n' +
      '| ❌ | job/a&#95;b | failed &#124; &lt;b&gt; &#64;team |  | 2 |\n' +
      '| ✅ | job/a&#95;b | failed &#124; &lt;b&gt; &#64;team | 1.20s | 2 |\n\n',
  );
});

it('counts the rows beyond fifty', () => {
  const rows = Array.from({ length: 53 }, (_, index) => {
    return { about: `pod/p${index}`, isWell: true, state: 'Running', readyMs: 1, restarts: 0 };
  });
  expect(renderSummary({ ...NOTHING, rows })).toMatch(/pod\/p49 .*\n\| \| … and 3 more \| \| \| \|\n\n$/);
});

it('has the first cause, and the explanation in a block that nothing in it can end', () => {
  const explanation = 'error: pod "web" failed: *no*\n  last line:\n    </pre>\n';
  const text = renderSummary({ ...NOTHING, exitCode: 1, explanation });
  expect(text).toContain('**First cause:** pod "web" failed: &#42;no&#42;\n');
  expect(text.split('</pre>')).toHaveLength(2);
  expect(text).toContain('    &lt;/pre&gt;\n</pre>\n</details>\n');
});

it('has the slowest steps, the slowest first, and the end of the output of COMMAND', () => {
  const step = (kind: 'run' | 'sandbox', toMs: number) => ({
    pod: 'web',
    step: { kind, fromMs: 0, toMs, share: 1, container: kind === 'run' ? 'fetch' : undefined } as const,
  });
  const output = Array.from({ length: 40 }, (_, index) => `line ${index}\n`).join('');
  const text = renderSummary({
    ...NOTHING,
    steps: [step('sandbox', 200), step('run', 3000), step('sandbox', 5)],
    command: { name: 'npm test', output },
  });
  expect(text).toMatch(/\| 3\.00s \| web \| .*fetch.*\n\| 0\.20s \| web \| .*\n\n/);
  expect(text).not.toContain('| 0.01s |');
  expect(text).toContain('<pre>\n… 10 lines before\nline 10\n');
});
