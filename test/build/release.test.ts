import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { billOf, notesOf, refusals, UNFILLED } from '../../.ci/release/contents.mjs';
import { filesBelow, readText } from '../architecture/source.ts';

const CHANGELOG = `# Changelog

## 1.1.0 (2030-01-02)

A new command.

### Details

It is fast.

## 1.0.0

The first version.
`;

describe('the notes of a release', () => {
  it('are the part of the changelog about its version', () => {
    expect(notesOf(CHANGELOG, '1.1.0')).toBe('A new command.\n\n### Details\n\nIt is fast.');
    expect(notesOf(CHANGELOG, '1.0.0')).toBe('The first version.');
    expect(notesOf(CHANGELOG, '0.9.0')).toBeUndefined();
  });
});

describe('a release', () => {
  const good = { manifest: { version: '1.1.0' }, changelog: CHANGELOG, changes: '', tag: 'v1.1.0' };

  it('is made of a clean tree with one version in all places', () => {
    expect(refusals(good)).toEqual([]);
    expect(refusals({ ...good, tag: undefined })).toEqual([]);
  });

  it.each([
    ['a changed file', { changes: ' M src/clock.ts\n' }, 'not committed:\n M src/clock.ts'],
    [
      'a field of package.json that its owner has not filled in',
      { manifest: { version: '1.1.0', [UNFILLED]: 'author' } },
      'is not filled in: author',
    ],
    [
      'a version that the changelog does not begin with',
      { manifest: { version: '1.0.0' }, tag: 'v1.0.0' },
      'the newest version is 1.1.0, and 1.0.0 in package.json',
    ],
    [
      'a version of which the changelog says nothing',
      { changelog: '## 1.1.0\n\n## 1.0.0\n\nFirst.\n' },
      'nothing is said of 1.1.0',
    ],
    ['a tag of another version', { tag: 'v1.1.1' }, 'the tag v1.1.1 is not v1.1.0'],
  ])('is refused with %s', (_, change, sentence) => {
    const reasons = refusals({ ...good, ...change });
    expect(reasons).toEqual([expect.stringContaining(sentence)]);
  });
});

it('lacks nothing of its own but the line that its owner fills in', () => {
  const manifest = JSON.parse(readText('package.json')) as Record<string, string>;
  const reasons = refusals({ manifest, changelog: readText('CHANGELOG.md'), changes: '', tag: undefined });
  expect(reasons.filter((reason) => !reason.includes(UNFILLED))).toEqual([]);
});

describe('the bill of materials', () => {
  it('has each bundled package with its licence, and Node.js', () => {
    const line = `\n${'-'.repeat(80)}\n\n`;
    const licences = [
      'podrun contains:\n',
      '@scope/one 1.2.3 (MIT)\n\nCopyright\n',
      'two 4.0.0 (Apache-2.0)\n\nText (see 1.0)\n',
    ].join(line);
    const { components } = billOf(licences, { version: '1.0.0', nodeVersion: '24.0.0' });
    expect(components).toMatchObject([
      { name: '@scope/one', version: '1.2.3', purl: 'pkg:npm/%40scope/one@1.2.3', licenses: [{ expression: 'MIT' }] },
      { name: 'two', version: '4.0.0', purl: 'pkg:npm/two@4.0.0', licenses: [{ expression: 'Apache-2.0' }] },
      { type: 'platform', name: 'node', version: '24.0.0' },
    ]);
  });
});

interface Step {
  readonly uses?: string;
  readonly run?: string;
}
interface Workflow {
  readonly on: object;
  readonly permissions: object;
  readonly jobs: Readonly<
    Record<string, { readonly 'runs-on': string; readonly 'timeout-minutes': number; readonly steps: readonly Step[] }>
  >;
}

describe.each(readdirSync('.github/workflows'))('the workflow %s', (file) => {
  const text = readText(`.github/workflows/${file}`);
  const workflow = parse(text) as Workflow;
  const steps = Object.values(workflow.jobs).flatMap((job) => job.steps);

  it('says when it runs, what it may do, where and for how long', () => {
    expect(workflow).toMatchObject({ on: expect.anything() as object, permissions: expect.anything() as object });
    for (const job of Object.values(workflow.jobs))
      expect(job).toMatchObject({
        'runs-on': expect.any(String) as string,
        'timeout-minutes': expect.any(Number) as number,
      });
  });

  it('has steps that use an action of a fixed version, or run commands of correct syntax', () => {
    const actions = steps.filter(({ run }) => run === undefined).map(({ uses }) => uses);
    expect(actions.filter((action) => !/^actions\/[a-z-]+@v\d+$/.test(action ?? ''))).toEqual([]);
    const scripts = steps.flatMap(({ run }) => run ?? []);
    expect(scripts.filter((script) => spawnSync('sh', ['-n', '-c', script]).status !== 0)).toEqual([]);
  });

  it('runs only scripts that the project has', () => {
    const { scripts } = JSON.parse(readText('package.json')) as { scripts: Record<string, string> };
    const commands = steps.flatMap(({ run = '' }) => run.split(/&&|\n/)).map((command) => command.trim());
    const called = commands.flatMap((command) => /^npm (?:run )?(\S+)/.exec(command)?.[1] ?? []);
    expect(called.filter((name) => name !== 'ci' && !(name in scripts))).toEqual([]);
  });

  it('puts no text of a contributor into a command', () => {
    expect(steps.filter(({ run = '' }) => run.includes('${{'))).toEqual([]);
  });

  it('names contexts that there are', () => {
    const expressions = [...text.matchAll(/\$\{\{\s*([a-z]+)\./g)].map(([, context]) => context);
    expect(expressions.filter((context) => !['github', 'matrix', 'runner'].includes(context ?? ''))).toEqual([]);
    expect(text.split('${{').length).toBe(text.split('}}').length);
  });
});

describe('the forms for issues', () => {
  const forms = filesBelow('.github/ISSUE_TEMPLATE', /(?<!config)\.yml$/);

  it.each(forms)('%s asks with fields of different names, each with a label', (file) => {
    const { name, description, body } = parse(readText(file)) as {
      name: string;
      description: string;
      body: { type: string; id: string; attributes: { label: string } }[];
    };
    expect([name, description].every((text) => text.length > 0)).toBe(true);
    expect(new Set(body.map(({ id }) => id)).size).toBe(body.length);
    for (const { type, attributes } of body)
      expect({ type, ...attributes }).toMatchObject({ type: 'textarea', label: expect.stringMatching(/./) as string });
  });
});
