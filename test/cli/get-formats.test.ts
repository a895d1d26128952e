import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../src/api/base/objects.ts';
import { GOLDEN_ENV, putStates, storeOf } from './prepared-store.ts';
import { workshopForEach } from './workshop.ts';

const workshop = workshopForEach();
const STATES = ['list-of-three', 'sidecar-running', 'restarts-with-ages', 'labels-and-annotations'];

const get = async (...args: string[]) => {
  putStates(storeOf(workshop), STATES);
  return workshop.run(['get', ...args], GOLDEN_ENV);
};

interface Recording {
  readonly args: readonly string[];
  readonly stdout: string | { readonly begin: string };
  readonly stderr: string;
  readonly exit: number;
}

/** The output of kubectl v1.32.4 for these Pods. Templates are tested in test/print/formats. */
const recordings = JSON.parse(
  readFileSync(path.join(import.meta.dirname, 'get-formats.json'), 'utf8'),
) as readonly Recording[];

describe('get, as kubectl does it,', () => {
  it.each(recordings)('$args', async ({ args, stdout, stderr, exit }) => {
    const ended = await get(...args);
    const begin = typeof stdout === 'string' ? stdout : stdout.begin;
    expect(ended.stdout.slice(0, typeof stdout === 'string' ? undefined : begin.length)).toBe(begin);
    expect(ended.stderr).toBe(stderr);
    // A usage error has exit code 2 in podrun, and 1 in kubectl.
    expect(ended.exitCode === 2 ? 1 : ended.exitCode).toBe(exit);
  });
});

describe('get', () => {
  it('sorts tables; objects without the field come first', async () => {
    const { stdout } = await get('--sort-by=.metadata.labels.app', '--no-headers');
    const names = stdout.split('\n').map((line) => line.replace(/ .*/, ''));
    expect(names).toEqual(['zed', 'side', 'restarts', 'api', 'batch-long-name-here', 'labels', '']);
  });

  it('reports a missing sort field as kubectl does', async () => {
    const ended = await get('--sort-by=.nosuch');
    expect(ended).toEqual({ exitCode: 0, stdout: '', stderr: 'No resources found in default namespace.\n' });
  });

  it('reports values without an order', async () => {
    const ended = await get('-o', 'name', '--sort-by=.metadata.labels');
    const why = 'error: Field {.metadata.labels} has no order: unsortable type: map[string]interface {}\n';
    expect(ended).toEqual({ exitCode: 1, stdout: '', stderr: why });
  });

  it('reads templates and columns from files', async () => {
    const template = workshop.file('t.gotmpl', '{{range .items}}{{.metadata.name}} {{end}}\n');
    expect((await get('-l', 'env', '-o', `go-template-file=${template}`)).stdout).toBe('api \n');
    const columns = workshop.file('columns', 'POD  IP\n.metadata.name  .status.podIP\n');
    const { stdout } = await workshop.run(['get', '-l', 'env', '-o', `custom-columns-file=${columns}`]);
    expect(stdout).toBe('POD   IP\napi   10.244.0.140\n');
  });

  it('reports the position of a template error, with exit code 2 before and 1 during printing', async () => {
    const unread = await get('-o', 'go-template={{range .items}}');
    expect(unread).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: 'error: error parsing template {{range .items}}, template: output:1: unexpected EOF\n',
    });
    const { exitCode, stdout, stderr } = await workshop.run(['get', '-o', 'go-template={{.kind}}\n{{.kind.name}}']);
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(
      /^List\nError executing template: template: output:2:7: executing "output" at <\.kind\.name>/,
    );
    expect(stderr).toContain('template: output:2:7: executing "output" at <.kind.name>: can\'t evaluate field name');
  });

  it('hides managedFields without --show-managed-fields', async () => {
    const managedFields = [{ manager: 'podrun' }];
    storeOf(workshop).create('configmaps', {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'c', managedFields },
    });
    const shown = await workshop.run(['get', 'cm', 'c', '-o', 'json', '--show-managed-fields']);
    expect((JSON.parse(shown.stdout) as KubeObject).metadata).toMatchObject({ managedFields });
    const hidden = await workshop.run(['get', 'cm', 'c', '-o', 'json']);
    expect((JSON.parse(hidden.stdout) as KubeObject).metadata).not.toHaveProperty('managedFields');
  });
});

describe('get -w', () => {
  it('aligns rows that arrive together, and passes each change to templates', async () => {
    const store = storeOf(workshop);
    putStates(store, ['list-of-three']);
    const watch = (...args: string[]) => workshop.start(['get', '-w', ...args], GOLDEN_ENV);
    const columns = watch('-o', 'custom-columns=N:.metadata.name,P:.status.phase');
    const typed = watch('--output-watch-events', '-o', 'go-template={{.type}} {{.object.metadata.name}};');
    await Promise.all([columns, typed].map(async (podrun) => podrun.until(({ stdout }) => stdout.includes('zed'))));
    store.delete('pods', 'default', 'zed');
    await typed.until(({ stdout }) => stdout.includes('DELETED'));
    await columns.until(({ stdout }) => stdout.split('\n').length > 5);
    for (const podrun of [columns, typed]) podrun.signal('SIGINT');
    expect((await columns.ended).stdout).toBe(`N                      P
api                    Running
batch-long-name-here   Running
zed                    Pending
zed                    Pending
`);
    expect((await typed.ended).stdout).toBe('ADDED api;ADDED batch-long-name-here;ADDED zed;DELETED zed;');
  });
});

describe('other commands', () => {
  it('print with templates as well', async () => {
    putStates(storeOf(workshop), ['running-ready']);
    const run = async (...args: string[]) => (await workshop.run(args, GOLDEN_ENV)).stdout;
    expect(await run('label', 'pod', 'web', 'x=y', '-o', 'jsonpath={.metadata.labels.x}')).toBe('y');
    expect(await run('annotate', 'pod', 'web', 'n=1', '-o=go-template={{.metadata.annotations.n}}')).toBe('1');
    const patch = ['patch', 'pod', 'web', '-p', '{"metadata":{"labels":{"x":"z"}}}'];
    expect(await run(...patch, '--dry-run=client', '-o', 'jsonpath-as-json={.metadata.labels.x}')).toBe(
      '[\n    "z"\n]\n',
    );
    expect(await run('events', '-o', 'go-template={{len .items}}')).toBe('0');
    const waited = await run('wait', 'pod/web', '--for=condition=Ready', '-o', 'jsonpath={.status.phase}');
    expect(waited).toBe('Running');
  });

  it('apply prints with templates in a dry run only', async () => {
    const manifest = workshop.pod('fresh', { containers: [{ name: 'main', command: ['true'] }] });
    const apply = (...args: string[]) => workshop.run(['apply', '-f', manifest, ...args]);
    const dry = await apply('--dry-run', '-o', 'jsonpath={.metadata.name} {.spec.restartPolicy}');
    expect(dry).toEqual({ exitCode: 0, stdout: 'fresh Always', stderr: '' });
    const { exitCode, stderr } = await apply('-o', 'jsonpath={.kind}');
    expect(exitCode).toBe(2);
    expect(stderr).toContain('error: -o jsonpath={.kind} needs --dry-run');
  });
});
