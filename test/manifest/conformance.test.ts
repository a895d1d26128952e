import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../src/api/base/objects.ts';
import { threeWayMerge } from '../../src/api/patch/index.ts';
import type { FieldError } from '../../src/manifest/base/field-error.ts';
import { loadManifests } from '../../src/manifest/check/load.ts';
import { cutDocuments, readDocument } from '../../src/manifest/read/documents.ts';
import { nodeValue } from '../../src/manifest/read/source-node.ts';
import type { DocumentProblem, ManifestMistake } from '../../src/manifest/check/manifest-mistake.ts';
import { admitUpdate, decodeChanged, type Subresource, type UpdateOutcome } from '../../src/manifest/update/index.ts';
import { readCorpus, type ExpectedError, type InvalidRow, type ValidRow } from './corpus.ts';
import { loadText } from './load-text.ts';
import { asMade, keepingMade } from './update/changes.ts';

/** An object as the store contains it. */
function asStored(object: KubeObject | undefined): KubeObject {
  if (object === undefined) throw new Error('the stored object of the corpus is not valid');
  const metadata = { ...object.metadata, uid: 'u', resourceVersion: '7', creationTimestamp: CREATED };
  return asMade({ ...object, metadata });
}

/** An object as it was written, without defaults. */
function asWritten(manifest: string): KubeObject {
  for (const document of cutDocuments(Buffer.from(manifest))) {
    const [root] = readDocument(document);
    const written = root && (nodeValue(root) as KubeObject | null);
    if (written) return written;
  }
  throw new Error('there is nothing in the manifest');
}

/** The result of replacing a stored object with a manifest. */
async function updateOf(row: { manifest: string; old: string; subresource?: Subresource }): Promise<UpdateOutcome> {
  const stored = asStored((await loadText(row.old, { command: 'create' })).objects[0]?.object);
  const written = asWritten(row.manifest);
  const named = { ...written, metadata: { ...written.metadata, namespace: 'default' } };
  const { object, errors, unknown } = decodeChanged(keepingMade(named), stored);
  expect([...errors, ...unknown]).toEqual([]);
  return admitUpdate(stored, object, row.subresource === undefined ? {} : { subresource: row.subresource });
}

const CREATED = '2026-01-01T00:00:00Z';

const problemsOf = (errors: readonly ManifestMistake[]): DocumentProblem[] =>
  errors.filter((error): error is DocumentProblem => error.stage !== 'input');

/** The compared parts of a mistake. They depend on the stage: early stages have messages of their own. */
function comparable(stage: InvalidRow['stage'] | 'support', error: FieldError, row: InvalidRow): object {
  const expected = row.errors.find(
    ({ path, type, detail }) => path === error.path && type === error.type && error.detail.startsWith(detail),
  );
  const { path, type } = error;
  if (stage === 'parse') return { type };
  if (stage === 'kind' || stage === 'decode') return { path, type };
  if (stage === 'strict') return { path, type, detail: error.detail };
  const detail = expected?.match === 'prefix' ? error.detail.slice(0, expected.detail.length) : error.detail;
  return { path, type, detail, ...(expected?.value === undefined ? {} : { value: error.value }) };
}

function expectedOf(stage: InvalidRow['stage'], { path, type, detail, value }: ExpectedError): object {
  if (stage === 'parse') return { type };
  if (stage === 'kind' || stage === 'decode') return { path, type };
  return { path, type, detail, ...(value === undefined ? {} : { value }) };
}

const byText = (a: object, b: object): number => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);

describe('invalid manifests', () => {
  const all = readCorpus<InvalidRow>('invalid.jsonl');
  const rows = all.filter(({ stage }) => stage !== 'update');

  it.each(rows)('$stage: $id', async (row) => {
    const { stage } = row;
    const { errors } = await loadText(row.manifest, { command: 'create' });
    const problems = problemsOf(errors);
    expect(problems.map((problem) => comparable(problem.stage, problem.error, row)).sort(byText)).toEqual(
      row.errors.map((error) => expectedOf(stage, error)).sort(byText),
    );
    expect(new Set(problems.map((problem) => problem.stage))).toEqual(new Set([stage]));
  });

  it.each(all.filter(({ stage }) => stage === 'update'))('update: $id', async (row) => {
    const outcome = await updateOf({ ...row, old: row.old ?? '' });
    const errors = outcome.ok ? [] : outcome.errors;
    expect(errors.map((error) => comparable('update', error, row)).sort(byText)).toEqual(
      row.errors.map((error) => expectedOf('update', error)).sort(byText),
    );
  });

  it.each(rows.filter(({ stage }) => stage === 'parse'))('$id is shown at its line', async ({ manifest, errors }) => {
    const [problem] = problemsOf((await loadText(manifest)).errors);
    // Some rows name the previous line: go-yaml counts from 0 in some messages, from 1 in others.
    const line = errors[0]?.line ?? 0;
    expect([line, line + 1]).toContain(problem?.position.line);
  });
});

/** Follows a path such as `spec.containers[0].resources.limits.cpu` or `metadata.labels["a.b/c"]`. */
function valueAt(object: unknown, path: string): unknown {
  const steps = [...path.matchAll(/\["([^"]+)"\]|\[(\d+)\]|([^.[\]]+)/g)].map(
    ([, quoted, index, name]) => quoted ?? index ?? name ?? '',
  );
  return steps.reduce<unknown>((value, step) => (value as Record<string, unknown> | undefined)?.[step], object);
}

describe('valid manifests', () => {
  const rows = readCorpus<ValidRow>('valid.jsonl');

  it.each(rows)('$theme: $id', async ({ manifest, objects: count, expect: values = [], warnings = [], old }) => {
    const { objects, errors, warnings: given } = await loadText(manifest, { command: 'create' });
    expect(problemsOf(errors)).toEqual([]);
    expect(errors).toEqual(count === 0 ? [{ stage: 'input', message: 'no objects passed to create' }] : []);
    expect(objects).toHaveLength(count);
    expect(given).toEqual(warnings);
    // The expected values of an update are checked below.
    if (old !== undefined) return;
    for (const { path: at, value } of values)
      expect({ [at]: valueAt(objects[0]?.object, at) ?? null }).toEqual({ [at]: value });
  });

  const updates = rows.flatMap((row) => (row.old === undefined ? [] : [{ ...row, old: row.old }]));

  it.each(updates)('may take the place of the stored object: $id', async (row) => {
    const outcome = await updateOf(row);
    expect(outcome).toMatchObject({ ok: true });
    for (const { path: at, value } of row.expect ?? [])
      expect({ [at]: outcome.ok && (valueAt(outcome.object, at) ?? null) }).toEqual({ [at]: value });
  });
});

describe('a valid manifest that is applied again', () => {
  // A null becomes a quantity of 0 in a new object, and removes the field when it is applied again.
  const isPeculiar = (id: string): boolean => id === 'res-null-quantity';
  const rows = readCorpus<ValidRow>('valid.jsonl').filter(
    ({ id, objects, old }) => objects === 1 && old === undefined && !isPeculiar(id),
  );

  it.each(rows)('changes nothing: $id', async ({ manifest }) => {
    const { objects } = await loadText(manifest, { command: 'create' });
    const stored = asStored(objects[0]?.object);
    const written = asWritten(manifest);
    const { object } = decodeChanged(threeWayMerge(written, written, stored), stored);
    expect(admitUpdate(stored, object)).toEqual({ ok: true, object: stored });
  });
});

/** The folder of manifests of the Kubernetes documentation. They are not part of this repository. */
const examplesFolder = fileURLToPath(new URL('../../../shared/conformance/k8s-examples/', import.meta.url));

/** Rows of the table in the README.md of that folder. */
function readExamples(): { file: string; kinds: string; classes: string; outcome: string }[] {
  const readme = readFileSync(path.join(examplesFolder, 'README.md'), 'utf8');
  return [...readme.matchAll(/^\| `([^`]+)`[^|]*\| ([^|]*) \|[^|]*\|[^|]*\| ([^|]*) \| (.*) \|$/gm)].map(
    ([, file = '', kinds = '', classes = '', outcome = '']) => ({ file, kinds, classes, outcome }),
  );
}

const haveExamples = existsSync(examplesFolder);

describe('examples of the Kubernetes documentation', () => {
  const examples = haveExamples ? readExamples() : [];

  it('are all in the index', ({ skip }) => {
    skip(!haveExamples, `there is no ${examplesFolder}`);
    const files = readdirSync(examplesFolder, { recursive: true, encoding: 'utf8' }).filter((file) =>
      file.endsWith('.yaml'),
    );
    expect(examples.map(({ file }) => file).sort()).toEqual(files.map((file) => file.replaceAll('\\', '/')).sort());
  });

  it.each(examples.filter(({ classes }) => classes !== 'F'))('accepts $file', async ({ file, kinds }) => {
    const { objects, errors } = await loadManifests({ files: [path.join(examplesFolder, file)] });
    expect(errors).toEqual([]);
    const counted = kinds.split(', ').flatMap((kind) => {
      const [, count = '1', name = kind] = /^(?:(\d+) x )?(\w+)$/.exec(kind) ?? [];
      return Array.from({ length: Number(count) }, () => name);
    });
    expect(objects.map(({ object }) => object.kind)).toEqual(counted);
  });

  it.each(examples.filter(({ classes }) => classes === 'F'))('refuses $file: $outcome', async ({ file, outcome }) => {
    const { errors } = await loadManifests({ files: [path.join(examplesFolder, file)] });
    const said = problemsOf(errors).map(
      ({ error, position }) => `line ${position.line}: ${error.path} ${error.detail}`,
    );
    const keyword =
      /tab at line 24|no matches for kind.*|unknown field.*?"[^"]*"|"pids".*|metadata\.name/.exec(outcome)?.[0] ?? '';
    const parts = keyword.replace('tab at line 24', 'line 24').replace('"pids" ', '');
    expect(said.join('\n')).toContain(parts);
  });
});
