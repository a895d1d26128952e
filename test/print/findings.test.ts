import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type Finding, FINDING_RULES, type Findings } from '../../src/manifest/lint/finding.ts';
import { findingsSummary, renderAnnotation, renderFinding, renderSarif } from '../../src/print/findings.ts';
import { PLAIN } from '../../src/print/text/painter.ts';

const wrong: Finding = {
  level: 'error',
  rule: 'unknown-field',
  file: 'deploy/my pod.yaml',
  line: 6,
  column: 3,
  excerpt: '  image: x',
  object: { apiVersion: 'v1', kind: 'Pod', namespace: '', name: 'web' },
  path: 'spec.image',
  message: 'unknown field "spec.image"',
  hint: undefined,
};
const note: Finding = { ...wrong, level: 'note', rule: 'not-checked', message: 'not checked: no object', path: '' };

const found = (...findings: readonly Finding[]): Findings => ({ findings, unreadable: [], files: 1, objects: 2 });

describe('for people', () => {
  it.each([
    ['a line with a caret', wrong, '    6 |   image: x\n      |   ^\n'],
    ['tabs are one blank each', { ...wrong, excerpt: '\t\ta', column: 3 }, '    6 |   a\n      |   ^\n'],
    ['a character of two units', { ...wrong, excerpt: '😀a', column: 3 }, '    6 | 😀a\n      |  ^\n'],
    ['nothing to show', { ...wrong, excerpt: '', column: 1 }, ''],
  ])('%s', (_name, finding, want) => {
    expect(renderFinding(finding, PLAIN)).toBe(
      `deploy/my pod.yaml:6:${finding.column}: error: Pod web: unknown field "spec.image"\n${want}`,
    );
  });

  it('show the piece of a long line that is meant', () => {
    const excerpt = `${'a'.repeat(500)}X${'b'.repeat(500)}`;
    const [, shown = '', caret = ''] = renderFinding({ ...wrong, excerpt, column: 501 }, PLAIN).split('\n');
    expect(shown.length).toBeLessThan(120);
    expect(shown[caret.indexOf('^')]).toBe('X');
  });

  it('sum up', () => {
    expect(findingsSummary(found())).toBe('nothing wrong in 2 objects of 1 file\n');
    expect(findingsSummary(found(wrong, wrong, note))).toBe('2 errors in 2 objects of 1 file; 1 not checked\n');
  });
});

describe('as SARIF', () => {
  interface Log {
    readonly version: string;
    readonly runs: readonly {
      readonly tool: { readonly driver: { readonly rules: readonly { readonly id: string }[] } };
      readonly results: readonly Record<string, unknown>[];
      readonly invocations: readonly Record<string, unknown>[];
    }[];
  }
  const sarif = (findings: Findings): Log => JSON.parse(renderSarif(findings, '1.2.3')) as Log;

  it('have a rule and a place', () => {
    const { version, runs } = sarif(found(wrong));
    const [run] = runs;
    expect(version).toBe('2.1.0');
    expect(run?.results).toEqual([
      {
        ruleId: 'unknown-field',
        ruleIndex: run?.tool.driver.rules.findIndex(({ id }) => id === 'unknown-field'),
        level: 'error',
        message: { text: 'Pod web: unknown field "spec.image"' },
        locations: [
          {
            physicalLocation: {
              artifactLocation: { uri: 'deploy/my%20pod.yaml', uriBaseId: '%SRCROOT%' },
              region: { startLine: 6, startColumn: 3, snippet: { text: '  image: x' } },
            },
            logicalLocations: [{ fullyQualifiedName: 'spec.image' }],
          },
        ],
      },
    ]);
  });

  it('make no alert of what was not checked, and tell what could not be read', () => {
    const [run] = sarif({ ...found(note), unreadable: ['the path "x" does not exist'] }).runs;
    expect(run?.results).toEqual([]);
    expect(run?.invocations).toEqual([
      {
        executionSuccessful: false,
        toolExecutionNotifications: [
          { level: 'error', message: { text: 'the path "x" does not exist' } },
          expect.objectContaining({ level: 'note', message: { text: 'Pod web: not checked: no object' } }),
        ],
      },
    ]);
  });

  it('name files outside by a URL', () => {
    expect(renderSarif(found({ ...wrong, file: '/a b.yaml' }), '1.2.3')).toContain('"file:///a%20b.yaml"');
  });
});

it('are annotations with what would end a property escaped', () => {
  const finding = { ...wrong, file: 'a,b:c.yaml', message: '100%\nor less', hint: 'think' };
  expect(renderAnnotation(finding)).toBe(
    '::error file=a%2Cb%3Ac.yaml,line=6,col=3::Pod web: 100%25%0Aor less - think\n',
  );
  expect(renderAnnotation(note)).toBe('');
});

it('have rules that the page about them lists, in the same words', () => {
  const page = readFileSync(new URL('../../docs/validate.md', import.meta.url), 'utf8');
  const missing = Object.entries(FINDING_RULES).filter(([rule, text]) => !page.includes(`| \`${rule}\` | ${text} |`));
  expect(missing).toEqual([]);
});
