import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it, vi } from 'vitest';
import { type PodChange, PodrunError } from '../../src/library/index.ts';
import { readPod } from '../../src/store/disk/transition-log.ts';
import { emptyFolder, fileWith, run, shellPod } from './pods.ts';
import { PATIENT } from '../patience.ts';

const FOREVER = 'exec sleep 600';

describe('run', () => {
  it('takes a path, a URL, a text, an object, and several of them', async () => {
    const file = fileWith('one.json', JSON.stringify(shellPod('one', FOREVER)));
    const url = pathToFileURL(fileWith('two.json', JSON.stringify(shellPod('two', FOREVER))));
    const yaml = [
      '{apiVersion: v1, kind: Pod, metadata: {name: three},',
      'spec: {containers: [{name: c, image: busybox, args: [sleep, "600"]}]}}',
    ].join(' ');
    await using pods = await run([file, [url, { yaml }], shellPod('four', FOREVER)]);
    expect(pods.names).toEqual(['one', 'two', 'three', 'four']);
    await pods.until('Ready');
    expect(pods.get('default/three').status.phase).toBe('Running');
  });

  it('keeps what ConfigMaps and Secrets say for the Pods', async () => {
    const config = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'words' }, data: { GREETING: 'hello' } };
    const envFrom = [{ configMapRef: { name: 'words' } }];
    await using pods = await run([config, shellPod('web', 'echo $GREETING', { envFrom })]);
    await pods.until('Succeeded');
    expect(pods.logs()).toBe('hello\n');
  });

  it('gives containers variables where the manifest says nothing of them', async () => {
    const env = [{ name: 'OWN', value: 'manifest' }];
    await using pods = await run(shellPod('web', 'echo "$OWN $GIVEN"', { env }), {
      env: { OWN: 'option', GIVEN: '$(OWN)', NOT: undefined },
    });
    await pods.until('Succeeded');
    expect(pods.logs('main')).toBe('manifest $(OWN)\n');
  });

  it('has programs stand for images', async () => {
    const folder = emptyFolder();
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'web' },
      spec: {
        restartPolicy: 'Never',
        containers: [
          { name: 'a', image: 'acme/api:1.2' },
          { name: 'b', image: 'acme/worker' },
          { name: 'c', image: 'acme/list' },
        ],
      },
    };
    await using pods = await run(pod, {
      cwd: folder,
      images: {
        'acme/api:*': 'echo "one word" two',
        'acme/worker': { command: ['sh', '-c', 'echo $KIND in $PWD'], env: { KIND: 'worker' }, workingDir: '.' },
        'acme/list': ['echo', 'a list'],
      },
    });
    await pods.until('Succeeded');
    expect(['a', 'b', 'c'].map((name) => pods.logs(name))).toEqual([
      'one word two\n',
      `worker in ${folder}\n`,
      'a list\n',
    ]);
  });

  it('goes by podrun.yaml, or not', async () => {
    const folder = emptyFolder();
    writeFileSync(path.join(folder, 'podrun.yaml'), 'images: { "acme/*": [echo, configured] }\n');
    const pod = shellPod('web', '', { image: 'acme/api', command: [] });
    {
      await using pods = await run(pod, { cwd: folder });
      await pods.until('Succeeded');
      expect(pods.logs()).toBe('configured\n');
    }
    await using pods = await run(pod, { cwd: folder, config: false });
    await expect(pods.until('Succeeded')).rejects.toThrow('cannot become Succeeded');
  });

  it('reports every change, and passes on the output of containers line by line', async () => {
    const changes: PodChange[] = [];
    const lines: string[] = [];
    await using pods = await run(shellPod('web', 'echo one; echo two >&2; printf end'), {
      logs: ({ pod, container, text }) => lines.push(`${pod}/${container}: ${text}`),
      onTransition: (change) => changes.push(change),
    });
    await pods.until('Succeeded');
    await pods.stop();
    expect(changes[0]?.type).toBe('ADDED');
    const states = changes.map(({ pod }) => Object.keys(pod.status.containerStatuses?.[0]?.state ?? {})[0]);
    expect([...new Set(states)]).toEqual([undefined, 'waiting', 'running', 'terminated']);
    expect(lines.toSorted()).toEqual(['web/main: end', 'web/main: one', 'web/main: two']);
  });

  it('leaves nothing of its own behind, and neither listeners nor output', async () => {
    const before = process.listenerCount('exit');
    const printed = vi.spyOn(process.stdout, 'write');
    const runs = await Promise.all(
      Array.from({ length: 12 }, (_, index) => run(shellPod('web', `echo ${index}; ${FOREVER}`))),
    );
    expect(new Set(runs.map(({ stateDir }) => stateDir)).size).toBe(12);
    await Promise.all(runs.map((pods) => pods.until('Ready', PATIENT)));
    expect(process.listenerCount('exit')).toBeLessThanOrEqual(before + 1);
    await Promise.all(runs.map((pods) => pods.close()));
    expect(runs.filter(({ stateDir }) => existsSync(stateDir))).toEqual([]);
    expect(process.listenerCount('exit')).toBe(before);
    expect(printed).not.toHaveBeenCalled();
    printed.mockRestore();
  });

  it('keeps records in a state folder that is named, and runs no Pod twice', async () => {
    const stateDir = path.join(emptyFolder(), 'state');
    const pods = await run(shellPod('web', FOREVER), { stateDir });
    await pods.until('Ready');
    await expect(run(shellPod('web', FOREVER), { stateDir })).rejects.toThrow(
      `runs already under process ${process.pid}`,
    );
    await pods.close();
    const pod = readPod(path.join(stateDir, 'pods/default/web/transitions.ndjson'));
    expect(pod?.status.phase).toBe('Failed');
  });

  it('runs in real time, whatever the test makes of its own', async () => {
    vi.useFakeTimers({ now: 0 });
    try {
      const pods = await run(shellPod('web', FOREVER));
      await pods.until('Ready');
      await pods.close();
      expect(Date.parse(pods.get().status.startTime ?? '')).toBeGreaterThan(Date.parse('2020-01-01'));
    } finally {
      vi.useRealTimers();
    }
  });

  it('warns of fields without effect, or refuses them', async () => {
    const told: string[] = [];
    const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'a' } };
    await using pods = await run([lease, shellPod('web', 'true')], { onWarning: (text) => told.push(text) });
    expect(pods.warnings).toContain('Lease is not supported by this runner, ignored');
    expect(told).toEqual(pods.warnings);
    const idle = shellPod('web', FOREVER, {}, { schedulerName: 'other' });
    await expect(run(idle, { strict: true })).rejects.toThrow('spec.schedulerName');
    const client = shellPod('web', 'curl https://$KUBERNETES_SERVICE_HOST');
    await expect(run(client, { strict: true })).rejects.toThrow('names KUBERNETES_SERVICE_HOST');
  });

  it('serves the API beside Pods that need one', async () => {
    const version = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } };
    const names = { plural: 'gadgets', singular: 'gadget', kind: 'Gadget' };
    const definition = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'gadgets.try.example.com' },
      spec: { group: 'try.example.com', scope: 'Namespaced', names, versions: [version] },
    };
    const gadget = { apiVersion: 'try.example.com/v1', kind: 'Gadget', metadata: { name: 'g' } };
    await using pods = await run([gadget, shellPod('web', FOREVER), definition], { network: 'host' });
    await pods.until('Ready');
    expect(readFileSync(pods.kubeconfig ?? '', 'utf8')).toContain('certificate-authority-data');
    expect(existsSync(path.join(pods.stateDir, 'gadgets.try.example.com/default/g'))).toBe(true);
    expect(pods.warnings).toEqual([]);
    await using plain = await run(shellPod('web', FOREVER));
    expect(plain.kubeconfig).toBeUndefined();
  });

  it('ends the Pods when its signal is aborted', async () => {
    const controller = new AbortController();
    await using pods = await run(shellPod('web', FOREVER), { signal: controller.signal });
    const waiting = pods.until('Succeeded').catch((error: unknown) => error);
    controller.abort(new Error('enough'));
    expect(await waiting).toEqual(new Error('enough'));
    await pods.stop();
    expect(pods.get().status.phase).toBe('Failed');
    await expect(run(shellPod('web', FOREVER), { signal: controller.signal })).rejects.toThrow('enough');
  });
});

describe('what is wrong', () => {
  it('a forbidden change is refused before anything is stored', async () => {
    const stateDir = emptyFolder();
    const mapOf = (name: string, key: string): object => {
      return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, immutable: true, data: { key } };
    };
    await (await run([mapOf('fixed', 'a'), shellPod('one', 'true')], { stateDir })).close();
    const changed = [mapOf('new', 'a'), mapOf('fixed', 'b'), shellPod('two', 'true')];
    await expect(run(changed, { stateDir })).rejects.toThrow('field is immutable when `immutable` is set');
    await using pods = await run(shellPod('three', FOREVER), { stateDir });
    expect(() => pods.describe('configmap/new')).toThrow('not found');
    expect(pods.describe('configmap/fixed')).toContain('fixed');
  });

  it.each([
    ['an unknown option', { timout: 3 }, 'run() has no option timout, did you mean timeout?'],
    ['a duration', { timeout: '3 parsecs' }, 'option timeout of run() must be milliseconds'],
    ['a variable', { env: { 'A=B': 'x' } }, 'option env of run() has a name that no variable can have'],
    ['an image', { images: { nginx: [] } }, 'option images of run() must have a command for "nginx"'],
    ['a back-off', { backoff: { first: 3 } }, 'option backoff of run() must be like'],
    ['a runtime', { runtime: 'docker' }, "must be 'auto' or 'process' or 'namespace'"],
  ])('%s is reported', async (_, options, message) => {
    await expect(run(shellPod('web', FOREVER), options as object)).rejects.toThrow(message);
  });

  it('with manifests comes all at once, with its place', async () => {
    const yaml = [
      'apiVersion: v1',
      'kind: Pod',
      'metadata: {name: UPPER}',
      'spec:',
      '  containers:',
      '  - {name: a}',
    ].join('\n');
    const failure = run({ yaml, name: 'pod.yaml' });
    await expect(failure).rejects.toBeInstanceOf(PodrunError);
    await expect(failure).rejects.toMatchObject({
      name: 'ManifestError',
      message: expect.stringContaining('spec.containers[0].image: Required value (pod.yaml:6:5)') as string,
      problems: [
        { file: 'pod.yaml', line: 3, kind: 'Pod', name: 'UPPER', field: 'metadata.name' },
        {
          file: 'pod.yaml',
          line: 6,
          field: 'spec.containers[0].image',
          message: 'spec.containers[0].image: Required value',
        },
      ],
    });
  });

  it('with an object has no place', async () => {
    const failure = run([
      shellPod('a', ''),
      { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'b' }, spec: { container: [] } },
    ]);
    await expect(failure).rejects.toThrow(/unknown field "spec.container" - did you mean "containers"\?$/);
    await expect(failure).rejects.toMatchObject({ problems: [{ file: undefined, line: undefined, name: 'b' }] });
  });

  it.each([
    ['a missing file', 'nowhere.yaml', 'the path "nowhere.yaml" does not exist'],
    [
      'no Pod',
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } },
      'there is no Pod or workload in these manifests',
    ],
    ['nothing', undefined as unknown as string, 'run() needs manifests'],
    ['a web address', new URL('https://example.com/pod.yaml'), 'run() reads manifests from files'],
  ])('%s is reported', async (_, source, message) => {
    await expect(run(source)).rejects.toThrow(message);
  });
});
