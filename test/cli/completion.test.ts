import { existsSync, readFileSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import type { StoredPod } from '../../src/api/base/objects.ts';
import { commandNames } from './commands.ts';
import { putObjects, storeOf } from './prepared-store.ts';
import { workshopForEach } from './workshop.ts';

const workshop = workshopForEach();

/** The answer for the shell: candidates without notes, and the kind of the answer. */
async function complete(...words: string[]): Promise<{ values: string[]; kind: string | undefined }> {
  const { stdout, stderr, exitCode } = await workshop.run(['__complete', ...words]);
  expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
  const lines = stdout.trimEnd().split('\n');
  return { values: lines.slice(0, -1).map((line) => line.split('\t')[0] ?? ''), kind: lines.at(-1) };
}

function putPod(name: string, namespace: string, containers: readonly string[]): void {
  const spec = {
    initContainers: [{ name: `${name}-setup`, image: 'busybox' }],
    containers: containers.map((container) => ({
      name: container,
      image: 'busybox',
      ports: [{ name: 'http', containerPort: 8080 }],
    })),
  };
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace }, spec };
  storeOf(workshop).create<StoredPod>('pods', pod as unknown as StoredPod);
}

describe('with stored Pods', () => {
  beforeEach(() => {
    putPod('web', 'default', ['app', 'proxy']);
    putPod('worker', 'default', ['main']);
    putPod('other', 'test', ['main']);
    const settings = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings', namespace: 'default' } };
    const shop = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'shop', namespace: 'default' } };
    putObjects(storeOf(workshop), [settings, shop]);
  });

  it.each([
    { words: ['logs', ''], values: ['web', 'worker'] },
    { words: ['logs', 'we'], values: ['web'] },
    { words: ['logs', 'pod/w'], values: ['pod/web', 'pod/worker'] },
    { words: ['logs', '-n', 'test', ''], values: ['other'] },
    { words: ['logs', '--namespace=test', ''], values: ['other'] },
    { words: ['-n', 'test', 'logs', ''], values: ['other'] },
    { words: ['logs', 'web', ''], values: ['web-setup', 'app', 'proxy'] },
    { words: ['logs', 'web', '-c', 'p'], values: ['proxy'] },
    { words: ['logs', 'web', '-cp'], values: ['-cproxy'] },
    { words: ['logs', 'pod/web', '--container=a'], values: ['--container=app'] },
    { words: ['logs', '-f', 'web', 'app', ''], values: [] },
    { words: ['logs', 'nosuch', '-c', ''], values: [] },
    { words: ['exec', '-it', 'web', '-c', ''], values: ['web-setup', 'app', 'proxy'] },
    { words: ['attach', ''], values: ['web', 'worker'] },
    { words: ['debug', 'web', '-c', ''], values: [] },
    { words: ['debug', 'web', '--target', 'a'], values: ['app'] },
    { words: ['probes', 'web', '--type=l'], values: ['--type=liveness'] },
    { words: ['port-forward', 'web', ''], values: ['8080', '8080'] },
    { words: ['port-forward', 'worker', '80:'], values: ['80:8080'] },
    { words: ['get', 'pods', ''], values: ['web', 'worker'] },
    { words: ['get', 'po', 'web', ''], values: ['worker'] },
    { words: ['get', 'pod/web', 'pod/'], values: ['pod/worker'] },
    { words: ['get', 'cm', ''], values: ['settings'] },
    { words: ['get', 'pods,conf'], values: ['pods,configmaps'] },
    { words: ['get', 'pods,cm', 's'], values: ['settings'] },
    { words: ['describe', 'w'], values: ['web', 'worker'] },
    { words: ['describe', 'deployments'], values: ['deployments'] },
    { words: ['describe', 'pod', 'we'], values: ['web'] },
    { words: ['describe', 'deploy/'], values: ['deploy/shop'] },
    { words: ['get', 'deploy,cm', ''], values: ['shop', 'settings'] },
    { words: ['get', 'ns', ''], values: ['default', 'test'] },
    { words: ['logs', 'deployment/'], values: ['deployment/shop'] },
    { words: ['events', '--for', 'deployment/'], values: ['deployment/shop'] },
    {
      words: ['wait', 'deployment/shop', '--for', 'condition='],
      values: ['Available', 'Progressing', 'ReplicaFailure'].map((type) => `condition=${type}`),
    },
    { words: ['delete', 'pod', ''], values: ['web', 'worker'] },
    { words: ['label', 'pod', 'wo'], values: ['worker'] },
    { words: ['top', 'pod', 'wo'], values: ['worker'] },
    { words: ['get', '-n', ''], values: ['default', 'test'] },
    { words: ['events', '--for', 'pod/we'], values: ['pod/web'] },
    { words: ['cp', 'we'], values: ['web:'] },
    { words: ['rollout', 're'], values: ['restart', 'resume'] },
    { words: ['create', 'secret', 't'], values: ['tls'] },
    { words: ['scale', 'deployment/s'], values: ['deployment/shop'] },
    { words: ['rollout', 'status', 'deploy', ''], values: ['shop'] },
    { words: ['rollout', 'undo', '--to'], values: ['--to-revision'] },
    { words: ['--state-dir', '/nowhere', 'logs', ''], values: [] },
  ])('$words can become $values', async ({ words, values }) => {
    expect(await complete(...words)).toEqual({ values, kind: ':words' });
  });
});

it.each([
  { words: ['explai'], values: ['explain'] },
  { words: ['help', 'expl'], values: ['explain'] },
  { words: ['completion', ''], values: ['bash', 'fish', 'zsh'] },
  { words: ['get', 'persist'], values: ['persistentvolumes', 'persistentvolumeclaims'] },
  { words: ['apply', '--runtime', ''], values: ['auto', 'process', 'namespace'] },
  { words: ['apply', '--runtime=n'], values: ['--runtime=namespace'] },
  { words: ['apply', '--unt'], values: ['--until'] },
  { words: ['apply', '--until', 're'], values: ['ready'] },
  { words: ['history', '-o', ''], values: ['json', 'name'] },
  { words: ['doctor', '-oj'], values: ['-ojson'] },
  { words: ['doctor', '-o=j'], values: ['-o=json'] },
  { words: ['delete', '--dry-run='], values: ['--dry-run=none', '--dry-run=client', '--dry-run=server'] },
  { words: ['wait', 'pod/web', '--for=condition=Rea'], values: ['--for=condition=Ready'] },
  {
    words: ['wait', '--for', 'condition=Ready='],
    values: ['True', 'False', 'Unknown'].map((is) => `condition=Ready=${is}`),
  },
  { words: ['events', '--no-headers', '--no-h'], values: [] },
  { words: ['nosuch', ''], values: [] },
  { words: ['nosuch', '--nosuch=', '--nosuch='], values: [] },
])('$words can become $values, with or without stored Pods', async ({ words, values }) => {
  expect(await complete(...words)).toEqual({ values, kind: ':words' });
});

it.each([
  { words: ['apply', ''], kind: ':files' },
  { words: ['apply', '-f', ''], kind: ':files' },
  { words: ['get', '--filename=po'], kind: ':files' },
  { words: ['apply', '--config', ''], kind: ':files' },
  { words: ['cp', './a'], kind: ':files' },
  { words: ['cp', 'web:/etc/hosts', 'ho'], kind: ':files' },
  { words: ['exec', 'web', '--', 'ls', ''], kind: ':files' },
  { words: ['--state-dir', ''], kind: ':folders' },
])('the shell completes $kind behind $words', async ({ words, kind }) => {
  expect(await complete(...words)).toEqual({ values: [], kind });
});

it('offers every command with its summary, but no hidden command', async () => {
  const { stdout } = await workshop.run(['__complete', '']);
  const offered = [...stdout.matchAll(/^([a-z-]+)\t[A-Z].+$/gm)].map(([, name]) => name);
  expect(new Set(offered)).toEqual(new Set([...(await commandNames(workshop)), 'help']));
});

it('offers the flags of each command that its help tells, and knows values only of flags that exist', async () => {
  const known: string[] = [];
  for (const command of await commandNames(workshop)) {
    const [{ values }, { stdout }] = await Promise.all([complete(command, '--'), workshop.run([command, '--help'])]);
    const told = [...stdout.matchAll(/^ {2}(?:-[A-Za-z], )?(--[a-z0-9-]+)/gm)].map(([, flag = '']) => flag);
    expect({ command, flags: values.toSorted() }).toEqual({ command, flags: [...new Set(told)].toSorted() });
    known.push(...[...stdout.matchAll(/(--[a-z-]+) </g)].flatMap(([, flag = '']) => [flag, `${command} ${flag}`]));
  }
  const table = readFileSync(new URL('../../src/cli/complete/flag-values.ts', import.meta.url), 'utf8');
  const withValues = [...table.matchAll(/^ {2}\['([^']*--[^']+)', /gm)].map(([, flag = '']) => flag);
  expect(withValues).toContain('--namespace');
  expect(withValues.filter((flag) => !known.includes(flag))).toEqual([]);
});

it('creates no state folder, and ignores an unreadable one', async () => {
  await complete('logs', '');
  expect(existsSync(workshop.stateDir)).toBe(false);
  workshop.file('state', 'no folder');
  expect(await complete('logs', '')).toEqual({ values: [], kind: ':words' });
  expect(await complete('logs', 'web', '-c', '')).toEqual({ values: [], kind: ':words' });
});

it('names the shells with scripts', async () => {
  const { exitCode, stderr } = await workshop.run(['completion', 'tcsh']);
  expect(exitCode).toBe(2);
  expect(stderr).toContain('bash, fish, zsh');
});
