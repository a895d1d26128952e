import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../src/api/base/objects.ts';
import { goldenPods, goldenText } from '../print/golden.ts';
import { GOLDEN_ENV, putObjects, putStates, recordings, replay, storeOf } from './prepared-store.ts';
import { workshopForEach } from './workshop.ts';

const workshop = workshopForEach();

const get = (...args: string[]) => workshop.run(['get', ...args], GOLDEN_ENV);

const configMap = (name: string, namespace = 'default'): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace, creationTimestamp: '2026-01-15T11:00:00Z' },
  data: { a: '1', b: '2' },
});

describe('get, as kubectl does it,', () => {
  it.each(
    recordings('get', [
      'get-one',
      'get-two-mixed',
      'get-none',
      'get-none-ns',
      'get-all-ns',
      'get-labels',
      'get-noheaders',
      'get-sel',
      'get-field',
      'get-name',
      'get-badres',
      'get-typename',
      'get-ignore',
      'get-file',
      'get-pod-ns-notexist',
    ]),
  )('$command', async (recording) => {
    const { stdout, stderr, exit } = recording;
    expect(await replay(workshop, recording)).toEqual({ stdout, stderr, exit });
  });

  it.each(recordings('events', ['get-events', 'get-events-wide', 'get-events-field', 'get-events-newline']))(
    '$command',
    async (recording) => {
      const { stdout, stderr, exit } = recording;
      expect(await replay(workshop, recording)).toEqual({ stdout, stderr, exit });
    },
  );
});

describe('get', () => {
  it('lists Pods by default', async () => {
    putStates(storeOf(workshop), ['crashloop']);
    expect(await get()).toEqual({ exitCode: 0, stdout: goldenText('crashloop', 'get.txt'), stderr: '' });
    expect((await get('-o', 'wide')).stdout).toBe(goldenText('crashloop', 'get-wide.txt'));
  });

  it('prints one object by name, and a list of everything else', async () => {
    putStates(storeOf(workshop), ['list-of-three']);
    const one = JSON.parse((await get('pod', 'api', '-o', 'json')).stdout) as KubeObject;
    const [golden] = goldenPods('list-of-three');
    expect(one).toMatchObject({ kind: 'Pod', spec: golden?.spec, status: golden?.status });
    const yaml = (await get('po', 'api', 'zed', '-oyaml')).stdout;
    expect(yaml).toMatch(/^apiVersion: v1\nitems:\n- apiVersion: v1\n {2}kind: Pod\n/);
    expect(yaml).toMatch(/\nkind: List\nmetadata:\n {2}resourceVersion: ""\n$/);
    const none = await get('pods', '-n', 'elsewhere', '-o=json');
    expect(none).toMatchObject({ exitCode: 0, stderr: '' });
    expect(JSON.parse(none.stdout)).toMatchObject({ kind: 'List', items: [] });
    expect((await get('pods', '-n', 'elsewhere', '-o', 'name')).stdout).toBe('');
  });

  it('lists several types one after the other, each name with its type', async () => {
    const store = storeOf(workshop);
    putStates(store, ['running-ready']);
    putObjects(store, [configMap('settings')]);
    const expected = `NAME      READY   STATUS    RESTARTS   AGE
pod/web   1/1     Running   0          133m

NAME                 DATA   AGE
configmap/settings   2      60m
`;
    expect((await get('pods,cm')).stdout).toBe(expected);
    expect((await get('pod/web', 'configmap/settings')).stdout).toBe(expected);
    expect((await get('all', '--no-headers')).stdout).toBe('pod/web   1/1   Running   0     133m\n');
  });

  it('lists Secrets, Services, Namespaces and ServiceAccounts with their columns', async () => {
    const metadata = { name: 'x', creationTimestamp: '2026-01-15T11:59:00Z' };
    const of = (kind: string, rest: object): KubeObject => ({ apiVersion: 'v1', kind, metadata, ...rest });
    const ports = [
      { port: 80, nodePort: 30080 },
      { port: 53, protocol: 'UDP' },
    ];
    putObjects(storeOf(workshop), [
      of('Secret', { type: 'Opaque', data: { key: 'eA==' } }),
      of('Service', { spec: { type: 'NodePort', clusterIP: '10.96.0.9', ports, selector: { app: 'x' } } }),
      of('Namespace', {}),
      of('ServiceAccount', { secrets: [] }),
    ]);
    const { stdout } = await get('secrets,svc,ns,sa', '-o', 'wide');
    expect(stdout).toBe(`NAME       TYPE     DATA   AGE
secret/x   Opaque   1      60s

NAME        TYPE       CLUSTER-IP   EXTERNAL-IP   PORT(S)               AGE   SELECTOR
service/x   NodePort   10.96.0.9    127.96.0.9    80:30080/TCP,53/UDP   60s   app=x

NAME                STATUS   AGE
namespace/default   Active   60s
namespace/x         Active   60s

NAME                     AGE
serviceaccount/default   60s
serviceaccount/x         60s
`);
  });

  it('looks into the namespace of -n', async () => {
    putObjects(storeOf(workshop), [configMap('here', 'test'), configMap('there', 'other')]);
    expect((await get('cm', '-n', 'test', '-o', 'name')).stdout).toBe('configmap/here\n');
    expect((await get('cm', '-A', '-o', 'name')).stdout).toBe('configmap/there\nconfigmap/here\n');
    expect((await get('cm', 'there', '-n=test')).stderr).toBe(
      'Error from server (NotFound): configmaps "there" not found\nDid you mean "here"?\n',
    );
  });

  it('writes a long list to a slow reader', async () => {
    const data = { text: 'x'.repeat(100_000) };
    putObjects(
      storeOf(workshop),
      Array.from({ length: 5 }, (_, index) => ({ ...configMap(`long-${index}`), data })),
    );
    const { stdout } = await get('cm', '-o', 'json');
    expect((JSON.parse(stdout) as { items: unknown[] }).items).toHaveLength(5);
  });

  it.each([
    { args: ['pods', '-o', 'nosuch'], why: 'output format "nosuch", allowed formats are: custom-columns,' },
    { args: ['pods', '--nosuch'], why: "error: unknown flag: --nosuch\nSee 'podrun get --help' for usage." },
    { args: ['pod/web', 'api'], why: 'there is no need to specify a resource type as a separate argument' },
    { args: ['pod/'], why: 'arguments in resource/name form must have a single resource and name' },
    { args: ['pod', 'web', '-l', 'app=web'], why: 'name cannot be provided when a selector is specified' },
    { args: ['pod', 'web', '-A'], why: 'a resource cannot be retrieved by name across all namespaces' },
    { args: ['pods', '-l', 'app web'], why: "found 'web', expected: in, notin, =, ==, !=, gt, lt" },
    { args: ['pods', '-f', 'pod.yaml'], why: 'you may not specify resource arguments as well' },
    { args: ['-f', 'nope.yaml'], why: 'error: the path "nope.yaml" does not exist' },
    { args: ['pods,cm', '-w'], why: 'watch is only supported on individual resources' },
  ])('reports the mistake in get $args', async ({ args, why }) => {
    const { exitCode, stdout, stderr } = await get(...args);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain(why);
    expect(stderr).not.toMatch(/^\s+at /m);
  });

  it('reports a PODRUN_NOW that is no time', async () => {
    const { exitCode, stderr } = await workshop.run(['get'], { PODRUN_NOW: 'yesterday' });
    expect(exitCode).toBe(2);
    expect(stderr).toContain('error: PODRUN_NOW is no RFC 3339 time: "yesterday"');
  });
});
