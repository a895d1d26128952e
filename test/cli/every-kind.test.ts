import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { qualifiedKind, qualifiedPlural } from '../../src/api/index.ts';
import { runHere } from './in-process.ts';
import { EVERY_KIND, putOneOfEach } from './one-of-each.ts';
import { storeOf } from './prepared-store.ts';
import { Workshop } from './workshop.ts';

// Each verb takes each kind that the store may hold, with one command for all of them.
const workshop = new Workshop();
const other = new Workshop();

beforeAll(() => putOneOfEach(workshop));
afterAll(() => Promise.all([workshop.close(), other.close()]));

const words = EVERY_KIND.map(({ type, name }) => `${qualifiedPlural(type)}/${name}`);
/** A line about each object. */
const lines = (end: string): string[] => EVERY_KIND.map(({ type, name }) => `${qualifiedKind(type)}/${name}${end}`);

const printed = async (...args: string[]): Promise<string[]> => {
  const env = { KUBE_EDITOR: `sed -i 's/a: c$/a: d/'` };
  const { stdout, stderr } = await runHere(workshop, args, { env });
  return `${stdout}${stderr}`
    .trimEnd()
    .split('\n')
    .filter((line) => !line.startsWith('Warning: v1 Endpoints'));
};

it('get', async () => expect(await printed('get', ...words, '-o', 'name')).toEqual(lines('')));

it('label', async () => expect(await printed('label', ...words, 'a=b')).toEqual(lines(' labeled')));

it('annotate', async () => expect(await printed('annotate', ...words, 'a=b')).toEqual(lines(' annotated')));

it('patch', async () => {
  const patch = '{"metadata":{"labels":{"a":"c"}}}';
  expect(await printed('patch', ...words, '--type=merge', '-p', patch)).toEqual(lines(' patched'));
});

it('wait', async () => {
  const condition = '--for=jsonpath={.metadata.labels.a}=c';
  expect(await printed('wait', ...words, condition, '--timeout=0')).toEqual(lines(' condition met'));
});

it('describe', async () => {
  const text = (await printed('describe', ...words)).join('\n');
  const names = [...text.matchAll(/^(?:\n\n)?Name: +(\S+)$/gm)].map(([, name]) => name);
  expect(names).toEqual(EVERY_KIND.map(({ name }) => name));
});

it('edit', async () => {
  const names = ['sc/one', 'crd/ones.one.example.com', 'ones/one', 'clusterroles/one', 'hpa/one'];
  expect(await printed('edit', ...names)).toEqual([
    'storageclass.storage.k8s.io/one edited',
    'customresourcedefinition.apiextensions.k8s.io/ones.one.example.com edited',
    'one.one.example.com/one edited',
    'clusterrole.rbac.authorization.k8s.io/one edited',
    'horizontalpodautoscaler.autoscaling/one edited',
  ]);
});

describe('the rules of a definition hold for its objects', () => {
  const patch = (body: object, ...flags: string[]): Promise<string[]> =>
    printed('patch', 'one/one', '--type=merge', '-p', JSON.stringify(body), ...flags);
  const json = async (path: string): Promise<string[]> => printed('get', 'one/one', `-o=jsonpath=${path}`);

  it('a change is checked, pruned and defaulted, and counted', async () => {
    expect(await patch({ spec: { size: 10 } })).toEqual([
      'The One "one" is invalid: spec.size: Invalid value: 10: spec.size in body should be less than or equal to 9',
    ]);
    expect(await patch({ spec: { size: 4, weight: 1 } })).toEqual([
      'one.one.example.com/one patched',
      'Warning: unknown field "spec.weight"',
    ]);
    expect(await json('{.spec}{.metadata.generation}')).toEqual(['{"color":"red","size":4}2']);
    expect(await patch({ spec: { size: 4 } })).toEqual(['one.one.example.com/one patched (no change)']);
    expect(await patch({ spec: { size: 5 } }, '--dry-run=server')).toEqual([
      'one.one.example.com/one patched (server dry run)',
    ]);
    expect(await json('{.spec.size}')).toEqual(['4']);
  });

  it('the status has a subresource', async () => {
    expect(await patch({ status: { phase: 'Lost' } })).toEqual(['one.one.example.com/one patched (no change)']);
    const changed = await patch({ status: { phase: 'Ready' }, spec: { size: 9 } }, '--subresource=status');
    expect(changed).toEqual(['one.one.example.com/one patched']);
    expect(await json('{.status.phase}{.spec.size}{.metadata.generation}')).toEqual(['Ready42']);
    expect(await patch({}, '--subresource=resize')).toEqual([
      'Error from server (NotFound): the server could not find the requested resource',
    ]);
  });

  it('a strategic patch is refused, as by the API server', async () => {
    expect(await printed('patch', 'one/one', '-p', '{}')).toEqual([
      'Error from server (UnsupportedMediaType): the body of the request was in an unknown format - accepted media ' +
        'types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml',
      'Use --type=merge.',
    ]);
  });

  it('a definition is checked by its own rules', async () => {
    const wrong = JSON.stringify({ spec: { scope: 'Nowhere' } });
    const [line] = await printed('patch', 'crd/ones.one.example.com', '--type=merge', '-p', wrong);
    expect(line).toContain('The CustomResourceDefinition "ones.one.example.com" is invalid: ');
  });
});

it('the expressions of a policy are checked', async () => {
  const wrong = JSON.stringify({ spec: { validations: [{ expression: 'object.nothing(' }] } });
  const [line] = await printed('patch', 'validatingadmissionpolicies/one', '--type=merge', '-p', wrong);
  expect(line).toContain(
    'The ValidatingAdmissionPolicy "one" is invalid: spec.validations[0].expression: Invalid value: "object.nothing("',
  );
});

it('a verb without a meaning for a kind refuses it', async () => {
  expect(await printed('set', 'env', 'sc/one', 'A=b')).toEqual([
    'error: podrun set takes no storageclasses.storage.k8s.io',
    'podrun patch and podrun edit change their fields.',
  ]);
});

it.each(EVERY_KIND.map(({ type }) => qualifiedPlural(type)))('explain %s', async (plural) => {
  expect((await printed('explain', plural)).join('\n')).toMatch(/^(GROUP: .*\n)?KIND: [^]*\nFIELDS:\n/);
});

it('delete', async () => {
  const wanted = EVERY_KIND.filter(({ type }) => type.kind !== 'Namespace' && type.kind !== 'CustomResourceDefinition');
  const named = wanted.map(({ type, name }) => `${qualifiedPlural(type)}/${name}`);
  const deleted = await printed('delete', ...named);
  expect(deleted).toEqual(
    wanted.map(({ type, name }) => {
      const place = type.isNamespaced ? ' from default namespace' : '';
      return `${qualifiedKind(type)} "${name}" deleted${place}`;
    }),
  );
});

it('a definition goes with its objects', async () => {
  putOneOfEach(other);
  await runHere(other, ['delete', 'crd', 'ones.one.example.com']);
  expect(storeOf(other).list('ones.one.example.com')).toEqual([]);
});
