import { hostname } from 'node:os';
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../src/api/base/objects.ts';
import { runHere } from './in-process.ts';
import { putObjects, putStates, storeOf } from './prepared-store.ts';
import { workshopForEach } from './workshop.ts';

const workshop = workshopForEach();

const run = (...args: string[]) => runHere(workshop, ['delete', ...args]);

const configMap = (name: string): KubeObject => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });

describe('delete', () => {
  it('removes exactly the selected objects', async () => {
    const store = storeOf(workshop);
    putStates(store, ['list-of-three', 'running-ready']);
    putObjects(store, [configMap('a'), configMap('b')]);
    expect((await run('pods', '-l', 'app in (api,web)')).stdout).toBe(
      'pod "api" deleted from default namespace\npod "web" deleted from default namespace\n',
    );
    expect((await run('cm/a', 'pod/zed')).stdout).toBe(
      'configmap "a" deleted from default namespace\npod "zed" deleted from default namespace\n',
    );
    expect(store.list('pods').map(({ metadata }) => metadata.name)).toEqual(['batch-long-name-here']);
    expect(store.list('configmaps').map(({ metadata }) => metadata.name)).toEqual(['b']);
    expect((await run('pods,cm', '--all', '-A')).stdout.trimEnd().split('\n')).toHaveLength(2);
    expect((await runHere(workshop, ['events', '-A'])).stdout).toContain('DeletedBy');
  });

  it.each([
    { input: 'y\n', answer: 'pod "web" deleted from default namespace\n', left: 0 },
    { input: ' Y ', answer: 'pod "web" deleted from default namespace\n', left: 0 },
    { input: 'n\n', answer: 'deletion is cancelled\n', left: 1 },
    { input: 'yes\n', answer: 'deletion is cancelled\n', left: 1 },
    { input: '', answer: 'deletion is cancelled\n', left: 1 },
  ])('with -i asks first: $input', async ({ input, answer, left }) => {
    const store = storeOf(workshop);
    putStates(store, ['running-ready']);
    const question = 'You are about to delete the following 1 resource(s):\npod/web\nDo you want to continue? (y/n): ';
    expect(await runHere(workshop, ['delete', 'pod', 'web', '-i'], { input })).toEqual({
      exitCode: 0,
      stdout: question + answer,
      stderr: '',
    });
    expect(store.list('pods')).toHaveLength(left);
  });

  it('removes a namespace with all that is in it', async () => {
    const store = storeOf(workshop);
    const inside = (name: string): KubeObject => ({ ...configMap(name), metadata: { name, namespace: 'demo' } });
    putObjects(store, [{ ...configMap('demo'), kind: 'Namespace' }, inside('a'), inside('b'), configMap('c')]);
    expect((await run('ns', 'demo', '--dry-run')).stdout).toBe('namespace "demo" deleted (dry run)\n');
    expect(await run('ns', 'demo')).toEqual({ exitCode: 0, stdout: 'namespace "demo" deleted\n', stderr: '' });
    expect(store.list('configmaps').map(({ metadata }) => metadata.name)).toEqual(['c']);
    expect(await run('ns', 'default')).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: 'Error from server (Forbidden): namespaces "default" is forbidden: this namespace may not be deleted\n',
    });
  });

  it('refuses to remove the node, which podrun would register again', async () => {
    expect(await run('node', hostname().trim().toLowerCase())).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: expect.stringMatching(
        /^Error from server \(Forbidden\): nodes "\S+" is forbidden: this machine is the only node/,
      ) as string,
    });
  });

  it('keeps a namespace Terminating while something is in it, and nothing new comes', async () => {
    const store = storeOf(workshop);
    const held = { ...configMap('held'), metadata: { name: 'held', namespace: 'demo', finalizers: ['example.com/x'] } };
    putObjects(store, [{ ...configMap('demo'), kind: 'Namespace' }, held]);
    const here = (...words: string[]): ReturnType<typeof run> => runHere(workshop, words);
    expect(await run('ns', 'demo', '--no-wait')).toMatchObject({ exitCode: 0, stdout: 'namespace "demo" deleted\n' });
    expect((await here('get', 'ns', 'demo', '--no-headers')).stdout).toMatch(/^demo +Terminating /);
    expect(await here('create', 'configmap', 'late', '-n', 'demo')).toMatchObject({
      exitCode: 1,
      stderr:
        'Error from server (Forbidden): configmaps "late" is forbidden: ' +
        'unable to create new content in namespace demo because it is being terminated\n',
    });
    const patch = '{"metadata":{"finalizers":null}}';
    await here('patch', 'configmap', 'held', '-n', 'demo', '--type=merge', '-p', patch);
    expect((await here('get', 'ns', '-o', 'name')).stdout).toBe('namespace/default\n');
  });

  it('removes nothing with --dry-run', async () => {
    const store = storeOf(workshop);
    putStates(store, ['running-ready']);
    expect((await run('pod', 'web', '--dry-run')).stdout).toBe('pod "web" deleted (dry run) from default namespace\n');
    expect(store.list('pods')).toHaveLength(1);
  });

  it('takes the namespace of the command line for manifests without one', async () => {
    const store = storeOf(workshop);
    const inAway = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings', namespace: 'away' } };
    putObjects(store, [inAway, configMap('settings')]);
    const manifest = workshop.file('map.yaml', JSON.stringify(configMap('settings')));
    expect((await run('-n', 'away', '-f', manifest)).stdout).toBe('configmap "settings" deleted from away namespace\n');
    expect(store.list('configmaps').map(({ metadata }) => metadata.namespace)).toEqual(['default']);
  });

  it('takes the names from manifests, also from invalid ones', async () => {
    const store = storeOf(workshop);
    putStates(store, ['running-ready']);
    putObjects(store, [configMap('settings')]);
    const manifest = workshop.file(
      'all.yaml',
      `
apiVersion: v1
kind: Pod
metadata: { name: web }
spec: { containers: not a list any more }
---
apiVersion: v1
kind: ConfigMap
metadata: { name: settings }
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: shop }
`,
    );
    const { exitCode, stdout, stderr } = await run('-f', manifest);
    expect(stdout).toBe(
      'pod "web" deleted from default namespace\nconfigmap "settings" deleted from default namespace\n',
    );
    expect({ exitCode, stderr }).toEqual({
      exitCode: 1,
      stderr: `Error from server (NotFound): error when deleting "${manifest}": deployments.apps "shop" not found\n`,
    });
  });

  it.each([
    { args: ['pods'], why: 'error: resource(s) were provided, but no name was specified' },
    { args: [], why: 'error: You must provide one or more resources by argument or filename.' },
    {
      args: ['pod', 'web', '--now', '--grace-period=3'],
      why: 'error: --now and --grace-period cannot be specified together',
    },
    {
      args: ['pod', 'web', '--force', '--grace-period=5'],
      why: 'error: --force and --grace-period greater than 0 cannot be specified together',
    },
    { args: ['pod', 'web', '--grace-period=soon'], why: 'Use a number of seconds.' },
    { args: ['pod', 'web', '--all'], why: 'error: name cannot be provided when a selector is specified' },
    { args: ['-f', 'nope.yaml'], why: 'error: the path "nope.yaml" does not exist' },
    { args: ['pod', 'web', '-o', 'yaml'], why: 'allowed formats are: name' },
  ])('$args is refused and deletes nothing', async ({ args, why }) => {
    const store = storeOf(workshop);
    putStates(store, ['running-ready']);
    const { exitCode, stdout, stderr } = await run(...args);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain(why);
    expect(store.list('pods')).toHaveLength(1);
  });
});
