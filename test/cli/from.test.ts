import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { goldenEvents, goldenPods, goldenStates, goldenText } from '../print/golden.ts';
import { runHere } from './in-process.ts';
import { GOLDEN_ENV } from './prepared-store.ts';
import { workshopForEach } from './workshop.ts';

const workshop = workshopForEach();
const folder = path.join(import.meta.dirname, '../golden');
const saved = (state: string): string[] =>
  ['pod', 'events'].flatMap((name) => ['--from', path.join(folder, state, `${name}.json`)]);
const run = (...args: string[]) => runHere(workshop, args, { env: GOLDEN_ENV });

describe('a saved state is printed as kubectl prints it', () => {
  const formats = (state: string): Array<readonly [args: string[], file: string]> => [
    [['get', ...saved(state)], 'get.txt'],
    [['get', '-o', 'wide', ...saved(state)], 'get-wide.txt'],
    [['describe', ...saved(state)], 'describe.txt'],
    [['events', ...saved(state)], 'events.txt'],
  ];

  it.each(goldenStates)('%s', async (state) => {
    for (const [args, file] of formats(state)) {
      const { exitCode, stdout, stderr } = await run(...args);
      expect({ exitCode, printed: stdout + stderr }).toEqual({ exitCode: 0, printed: goldenText(state, file) });
    }
    expect(existsSync(workshop.stateDir)).toBe(false);
  });
});

const [api] = goldenPods('list-of-three');
const named = (name: string, namespace = 'default'): object => ({
  ...api,
  metadata: { ...api?.metadata, name, namespace },
});
const list = (kind: string, items: unknown): string => JSON.stringify({ apiVersion: 'v1', kind, items });

describe('get --from', () => {
  const names = async (...args: string[]): Promise<string> => (await run('get', '-o', 'name', ...args)).stdout;

  it('reads standard input, lists of a kind, and documents of YAML', async () => {
    const text = list('PodList', [named('b'), { ...named('a'), kind: undefined, apiVersion: undefined }]);
    const piped = workshop.start(['get', '-o', 'name', '--from', '-'], GOLDEN_ENV, text);
    expect(await piped.ended).toMatchObject({ exitCode: 0, stdout: 'pod/a\npod/b\n' });
    const yaml = workshop.file(
      'all.yaml',
      `${stringify(named('c'))}---\n${stringify({ ...named('d'), status: null })}`,
    );
    const json = workshop.file('more.json', list('List', [named('e')]));
    expect(await names('--from', yaml, '--from', json)).toBe('pod/c\npod/d\npod/e\n');
    expect((await run('describe', 'd', '--from', yaml)).stdout).toMatch(/^Name: +d\n/);
  });

  it('reads the output of a watch: the last state of each object counts', async () => {
    const line = (type: string, object: object): string => `${JSON.stringify({ type, object })}\n`;
    const later = { ...named('web'), status: { phase: 'Failed', reason: 'Evicted' } };
    const text = [line('ADDED', named('web')), line('ADDED', named('gone')), line('MODIFIED', later)].join('');
    const file = workshop.file('stream.json', text + line('DELETED', named('gone')));
    const { stdout } = await run('get', '--from', file, '--no-headers');
    expect(stdout).toBe('web   0/1   Evicted   0     119s\n');
  });

  it('shows all namespaces unless one is named', async () => {
    const file = workshop.file('pods.json', list('List', [named('x', 'one'), named('y', 'two')]));
    expect(await names('--from', file)).toBe('pod/x\npod/y\n');
    expect(await names('--from', file, '-n', 'two')).toBe('pod/y\n');
    expect(await names('pod', 'x', '--from', file)).toBe('pod/x\n');
    const { exitCode, stderr } = await run('get', 'pod', 'x', '-n', 'two', '--from', file);
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: 'Error from server (NotFound): pods "x" not found\n' });
    expect((await run('get', '-A', '--from', file)).stdout).toContain('one         x      1/1');
  });

  it('keeps unknown fields, and skips unknown kinds', async () => {
    const newer = { ...named('web'), spec: { ...api?.spec, brandNew: { a: null } } };
    const other = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w' } };
    const file = workshop.file('pods.json', list('List', [newer, other, { ...other, apiVersion: 'v1', kind: 'Node' }]));
    expect((await run('get', 'pod', 'web', '--from', file, '-o', 'jsonpath={.spec.brandNew}')).stdout).toBe(
      '{"a":null}',
    );
    expect(await names('--from', file)).toBe('pod/web\n');
  });

  it('shows Events of either API', async () => {
    const [event] = goldenEvents('crashloop');
    const { message, involvedObject, ...rest } = event ?? {};
    const newer = { ...rest, apiVersion: 'events.k8s.io/v1', note: message, regarding: involvedObject };
    const files = [event, newer].map((one, index) => workshop.file(`${index}.json`, JSON.stringify(one)));
    const [core, events] = await Promise.all(
      files.map(async (file) => run('get', 'events', '--no-headers', '--from', file)),
    );
    expect(core?.stdout).not.toBe('');
    expect(events?.stdout.replace(/^\S+ +/, '')).toBe(core?.stdout.replace(/^\S+ +/, ''));
  });

  it.each([
    { text: '{"apiVersion":"v1",\n"kind":"Pod","metadata":{"name":"x"},\n"spec":{"containers":7}}', why: ':3:22)' },
    { text: 'kind: Pod\nmetadata: {name: x}\n', why: ':1:1)' },
    { text: 'apiVersion: v1\nkind: Pod\nmetadata: {labels: {}}\n', why: 'metadata.name: Required value' },
    { text: 'a: [\n', why: 'error: error parsing ' },
  ])('reports the mistake in $text and its position', async ({ text, why }) => {
    const file = workshop.file('wrong.yaml', text);
    const { exitCode, stdout, stderr } = await run('get', '--from', file);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain(why);
    expect(stderr).toMatch(/wrong\.yaml:\d+:\d+\)/);
    expect(existsSync(workshop.stateDir)).toBe(false);
  });

  it.each([
    { args: ['get', '-w'], flag: '--watch' },
    { args: ['get', '--at', '3s'], flag: '--at' },
    { args: ['describe', '--at', '3s'], flag: '--at' },
    { args: ['events', '-w'], flag: '--watch' },
  ])('is refused with $args', async ({ args, flag }) => {
    const file = workshop.file('pod.json', JSON.stringify(named('x')));
    const { exitCode, stderr } = await run(...args, '--from', file);
    const why = `error: --from shows saved objects: it cannot be used with ${flag}\n`;
    expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: why });
  });

  it('describes a saved node with the requests of its Pods', async () => {
    const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'far' }, status: { allocatable: { cpu: '4' } } };
    const [pod] = [{ ...api, spec: { ...api?.spec, nodeName: 'far' }, status: { phase: 'Running' } }];
    const file = workshop.file('saved.json', list('List', [node, pod]));
    const { exitCode, stdout } = await run('describe', 'node', '--from', file);
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: expect.stringMatching(/^Name: +far$/m) });
    expect(stdout).toContain('(1 in total)');
    expect((await run('get', 'no', '-o', 'name', '--from', file)).stdout).toBe('node/far\n');
  });

  it('names a missing file', async () => {
    const { exitCode, stderr } = await run('describe', '--from', 'nope.json');
    expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: 'error: the path "nope.json" does not exist\n' });
  });
});
