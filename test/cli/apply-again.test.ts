import { describe, expect, it } from 'vitest';
import type { Pod, PodSpec } from '../../src/api/generated/types.ts';
import { PATIENT } from '../patience.ts';
import { stageForEach } from '../puppet/stage.ts';
import { type Ended, type Running, podsIn, watchLines, workshopForEach } from './workshop.ts';

const workshop = workshopForEach();
const stage = stageForEach();

const run = (...args: string[]) => workshop.run(args);
const spec = (image: string, more: Partial<PodSpec> = {}): PodSpec => ({
  containers: [{ name: 'main', image, command: stage.command('main') }],
  ...more,
});

async function running(manifest: string): Promise<Running> {
  const podrun = workshop.begin(['apply', manifest, '-o', 'json']);
  await podrun.until(({ lines }) => podsIn(lines).some(({ status }) => status?.phase === 'Running'));
  return podrun;
}

async function pod(name: string): Promise<Pod> {
  return JSON.parse((await run('get', 'pod', name, '-o', 'json')).stdout) as Pod;
}

const configMap = (data: string) =>
  workshop.file('settings.yaml', `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\n${data}\n`);

describe('a second apply of a Pod that runs', () => {
  it('changes nothing for an equal manifest, else only the changed fields', async () => {
    const manifest = workshop.pod('web', spec('app:1'));
    await running(manifest);
    expect(await run('apply', manifest)).toMatchObject({ exitCode: 0, stdout: 'pod/web unchanged\n', stderr: '' });
    await run('label', 'pod/web', 'mine=1');
    expect((await run('apply', manifest)).stdout).toBe('pod/web unchanged\n');
    expect((await run('apply', workshop.pod('web', spec('app:2')))).stdout).toBe('pod/web configured\n');
    await run('wait', 'pod/web', '--for=jsonpath={.status.containerStatuses[0].restartCount}=1', '--timeout=3m');
    expect((await pod('web')).metadata?.labels).toEqual({ mine: '1' });
  });

  it('names its flags that have no effect on the running Pod', async () => {
    const manifest = workshop.pod('web', spec('app:1'));
    await running(manifest);
    const { stdout, stderr } = await run('apply', manifest, '--image', 'app:1=true', '--backoff-max', '1s');
    expect(stdout).toBe('pod/web unchanged\n');
    expect(stderr).toBe('Warning: these flags have no effect on running Pods: --image, --backoff-max\n');
  });

  it('removes fields that the manifest no longer has', async () => {
    const toleration = { key: 'a', operator: 'Exists' as const };
    const head = (labels: string) => `apiVersion: v1\nkind: Pod\nmetadata: {name: web, labels: {${labels}}}`;
    const body = JSON.stringify(spec('app:1', { tolerations: [toleration] }));
    const labelled = (labels: string) => workshop.file('web.yaml', `${head(labels)}\nspec: ${body}\n`);
    await running(labelled('a: b, c: d'));
    expect((await run('apply', labelled('a: b'))).stdout).toBe('pod/web configured\n');
    expect((await pod('web')).metadata?.labels).toEqual({ a: 'b' });
  });

  it('is refused for an immutable field, and then changes nothing', async () => {
    await running(workshop.pod('web', spec('app:1')));
    const web = workshop.pod('web', spec('app:2', { hostname: 'other' }));
    const { exitCode, stdout, stderr } = await run('apply', web, configMap('data: {a: "1"}'));
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
    expect(stderr).toContain('The Pod "web" is invalid: spec: Forbidden: pod updates may not change fields other than');
    expect(stderr).toContain(
      'Nothing was changed. To replace it: podrun replace --force -f FILE (deletes pod/web first)',
    );
    expect((await pod('web')).spec?.containers?.[0]?.image).toBe('app:1');
    expect((await run('get', 'cm', 'settings')).exitCode).toBe(1);
    expect((await run('apply', web, '--dry-run')).exitCode).toBe(1);
  });

  it('runs the new Pods of the manifest, and ends only these', async () => {
    const web = workshop.pod('web', spec('app:1'));
    const first = await running(web);
    const job = workshop.pod('job', { restartPolicy: 'Never', containers: [{ name: 'main', command: ['true'] }] });
    const { exitCode, stdout, stderr } = await run('apply', web, job, '-o', 'json');
    expect(exitCode).toBe(0);
    expect(stderr).toContain('pod/web unchanged\npod/web belongs to process');
    expect(new Set(podsIn(watchLines(stdout)).map(({ metadata }) => metadata?.name))).toEqual(new Set(['job']));
    expect(podsIn(first.lines).at(-1)?.status?.phase).toBe('Running');
  });

  it('waits for the goal of all Pods, and ends none that it did not start', async () => {
    const web = workshop.pod('web', spec('app:1'));
    const first = await running(web);
    expect((await run('apply', web, '--until', 'ready', '--timeout', '10s')).exitCode).toBe(0);
    expect((await run('apply', web, '--', 'sh', '-c', 'exit 3')).exitCode).toBe(3);
    expect((await run('apply', web, '--until', 'succeeded', '--timeout', '100ms')).exitCode).toBe(124);
    expect(podsIn(first.lines).at(-1)?.status?.phase).toBe('Running');
    // A goal needs containers of the new manifest: containers that `apply` is about to replace do not count.
    expect((await run('apply', workshop.pod('web', spec('app:2')), '--until', 'ready')).exitCode).toBe(0);
    expect((await pod('web')).status?.containerStatuses?.[0]).toMatchObject({ image: 'app:2', restartCount: 1 });
    const waiting = workshop.start(['apply', web, '--until', 'succeeded']);
    await waiting.until(({ stdout }) => stdout.includes('belongs to process'));
    (await stage.puppet('main')).exit(0);
    await run('delete', 'pod', 'web');
    expect((await waiting.ended).exitCode).toBe(1);
  });

  it('at the same time as two more: one runs the Pod, the rest find it running', async () => {
    const manifest = workshop.pod('web', spec('app:1'));
    const applies = [1, 2, 3].map(() => workshop.start(['apply', manifest]));
    await stage.puppet('main');
    const ended: Ended[] = [];
    for (const one of applies) void one.ended.then((end) => ended.push(end));
    // One that begins after the deletion would run a Pod of its own.
    await expect.poll(() => ended.length, PATIENT).toBe(2);
    const unchanged = { exitCode: 0, stdout: 'pod/web unchanged\n' };
    expect(ended).toMatchObject([unchanged, unchanged]);
    await run('delete', 'pod', 'web');
    await Promise.all(applies.map(({ ended: one }) => one));
    expect(ended[2]?.exitCode).toBe(1);
  });
});

describe('a second apply of a stored object', () => {
  it('keeps fields of other clients, and removes fields that the manifest no longer has', async () => {
    expect((await run('apply', configMap('data: {a: "1", b: "2"}'))).stdout).toBe('configmap/settings created\n');
    expect((await run('apply', configMap('data: {a: "1", b: "2"}'))).stdout).toBe('configmap/settings unchanged\n');
    await run('patch', 'cm', 'settings', '-p', '{"data":{"mine":"3"}}');
    expect((await run('apply', configMap('data: {a: "4"}'))).stdout).toBe('configmap/settings configured\n');
    const { stdout } = await run('get', 'cm', 'settings', '-o', 'json');
    expect((JSON.parse(stdout) as { data: object }).data).toEqual({ a: '4', mine: '3' });
  });

  it('is refused for an immutable object', async () => {
    await run('apply', configMap('data: {a: "1"}\nimmutable: true'));
    expect((await run('apply', configMap('data: {a: "1"}\nimmutable: true'), '--dry-run')).stdout).toBe(
      'configmap/settings unchanged (dry run)\n',
    );
    const { exitCode, stderr } = await run('apply', configMap('data: {a: "2"}\nimmutable: true'));
    expect(exitCode).toBe(1);
    expect(stderr).toContain('The ConfigMap "settings" is invalid: data: Forbidden: field is immutable');
    expect(stderr).toContain('podrun replace --force -f FILE (deletes configmap/settings first)');
  });
});
