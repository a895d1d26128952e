import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { describe, expect, it } from 'vitest';
import type { Pod, PodSpec } from '../../src/api/generated/types.ts';
import { stageForEach } from '../puppet/stage.ts';
import { type Running, podsIn, workshopForEach } from './workshop.ts';

const workshop = workshopForEach();
const stage = stageForEach();

const container = (image = 'app:1') => ({ name: 'main', image, command: stage.command('main') });
const run = (...args: string[]) => workshop.run(args);

/** Runs a Pod with a puppet. Resolves when the Pod runs. */
async function running(spec: Partial<PodSpec> = {}): Promise<Running> {
  const podrun = workshop.begin(['apply', workshop.pod('web', { containers: [container()], ...spec }), '-o', 'json']);
  await seen(podrun, ({ status }) => status?.phase === 'Running');
  return podrun;
}

/** Resolves with the first version of the Pod for which the condition holds. */
async function seen(podrun: Running, isIt: (pod: Pod) => boolean): Promise<Pod> {
  await podrun.until(({ lines }) => podsIn(lines).some(isIt));
  return podsIn(podrun.lines).find(isIt)!;
}

const conditionOf = (pod: Pod, type: string) => pod.status?.conditions?.find((condition) => condition.type === type);

describe('a running Pod', () => {
  it('becomes Ready when its readiness gate opens, and unready when it closes', async () => {
    const gate = 'example.com/lb';
    const podrun = await running({ readinessGates: [{ conditionType: gate }] });
    expect((await run('condition', 'pod/web', `${gate}=True`)).exitCode).toBe(0);
    const ready = await seen(podrun, (pod) => conditionOf(pod, 'Ready')?.status === 'True');
    expect(ready.status?.conditions?.[0]).toMatchObject({ type: gate, status: 'True' });
    const patch = `{"status":{"conditions":[{"type":"${gate}","status":"False"}]}}`;
    await run('patch', 'pod/web', '--subresource=status', '-p', patch);
    const closed = await seen(podrun, (pod) => conditionOf(pod, 'Ready')?.message?.includes('but False') ?? false);
    expect(conditionOf(closed, gate)?.status).toBe('False');
  });

  it('cannot be resized beyond the resources of the node', async () => {
    const resources = (cpu: string) => ({ requests: { cpu, memory: '1Mi' }, limits: { cpu: '2000', memory: '1Mi' } });
    const podrun = await running({ containers: [{ ...container(), resources: resources('1m') }] });
    const patch = JSON.stringify({ spec: { containers: [{ name: 'main', resources: resources('900') }] } });
    const { exitCode, stderr } = await run('patch', 'pod', 'web', '--subresource=resize', '-p', patch);
    const cores = availableParallelism() * 1000;
    const why = `node didn't have enough allocatable resources: cpu, requested: 900000, allocatable: ${cores}`;
    expect({ exitCode, stderr }).toEqual({
      exitCode: 1,
      stderr: `Error from server (Forbidden): pods "web" is forbidden: ${why}\n`,
    });
    const last = podsIn(podrun.lines).at(-1);
    expect(last?.metadata?.generation).toBe(1);
    expect(last?.status?.containerStatuses?.[0]?.allocatedResources).toEqual({ cpu: '1m', memory: '1Mi' });
  });

  it("keeps the agent's status when a client overwrites it", async () => {
    const podrun = await running();
    const patch = '{"status":{"phase":"Pending","conditions":[{"type":"Ready","status":"False"}]}}';
    expect((await run('patch', 'pod/web', '--subresource=status', '-p', patch)).stdout).toBe('pod/web patched\n');
    await seen(podrun, (pod) => pod.status?.phase === 'Pending' && conditionOf(pod, 'Ready')?.status === 'False');
    const stored = async (): Promise<Pod> => JSON.parse((await run('get', 'pod', 'web', '-o', 'json')).stdout) as Pod;
    await expect.poll(async () => (await stored()).status?.phase).toBe('Running');
    expect(conditionOf(await stored(), 'Ready')?.status).toBe('True');
  });

  it('is terminated when a client sets its phase to Failed', async () => {
    const podrun = await running();
    const main = await stage.puppet('main');
    await main.catch('SIGTERM');
    const patch = '{"status":{"phase":"Failed","reason":"Preempted","message":"made room"}}';
    await run('patch', 'pod/web', '--subresource=status', '-p', patch);
    expect(await main.received()).toBe('SIGTERM');
    main.exit(0);
    expect(await podrun.ended).toMatchObject({ exitCode: 1 });
    const phases = podsIn(podrun.lines).map(({ status }) => status?.phase);
    expect(phases.slice(phases.indexOf('Failed'))).not.toContain('Running');
    const { status } = podsIn(podrun.lines).at(-1) ?? {};
    expect(status).toMatchObject({ phase: 'Failed', reason: 'Preempted', message: 'made room' });
    expect(status?.containerStatuses?.[0]?.state?.terminated?.exitCode).toBe(0);
  });

  it('restarts only the container with a changed image', async () => {
    const podrun = await running();
    const first = await stage.puppet('main');
    const patch = '{"spec":{"containers":[{"name":"main","image":"app:2"}]}}';
    expect((await run('patch', 'pod/web', '-p', patch)).stdout).toBe('pod/web patched\n');
    await first.gone;
    await stage.puppet('main');
    const changed = await seen(podrun, ({ status }) => status?.containerStatuses?.[0]?.restartCount === 1);
    expect(changed.status).toMatchObject({ observedGeneration: 2, containerStatuses: [{ image: 'app:2' }] });
    const events = await run('events');
    expect(events.stdout).toContain('Container main definition changed, will be restarted');
  });

  it('waits for an image without a program, and starts with the next image at once', async () => {
    const image = `app:1=${stage.command('main').join(' ')}`;
    const manifest = workshop.pod('web', { containers: [{ name: 'main', image: 'app:1' }] });
    const podrun = workshop.begin(['apply', manifest, '-o', 'json', '--image', image]);
    await stage.puppet('main');
    const setImage = (name: string) =>
      run('patch', 'pod/web', '-p', `{"spec":{"containers":[{"name":"main","image":"${name}"}]}}`);
    await setImage('nowhere:1');
    await seen(podrun, ({ status }) => status?.containerStatuses?.[0]?.state?.waiting?.reason === 'ErrImagePull');
    await setImage('app:1');
    await stage.puppet('main');
    const back = await seen(podrun, ({ status }) => status?.containerStatuses?.[0]?.restartCount === 1);
    expect(back.status?.containerStatuses?.[0]?.image).toBe('app:1');
  });

  it('ends at a deadline that is set while it runs', async () => {
    const podrun = await running();
    await run('patch', 'pod/web', '-p', '{"spec":{"activeDeadlineSeconds":1}}');
    const { exitCode } = await podrun.ended;
    expect(exitCode).toBe(1);
    expect(podsIn(podrun.lines).at(-1)?.status).toMatchObject({ phase: 'Failed', reason: 'DeadlineExceeded' });
  });

  it('is scheduled when its last gate is removed', async () => {
    const spec = { schedulingGates: [{ name: 'wait' }], containers: [container()] };
    const podrun = workshop.begin(['apply', workshop.pod('web', spec), '-o', 'json']);
    await seen(podrun, (pod) => conditionOf(pod, 'PodScheduled')?.reason === 'SchedulingGated');
    expect((await run('patch', 'pod/web', '--type=json', '-p', REMOVE_GATE)).stdout).toBe('pod/web patched\n');
    await seen(podrun, ({ status }) => status?.phase === 'Running');
  });

  it('sees its labels change in a volume', async () => {
    const volumes = [
      { name: 'info', downwardAPI: { items: [{ path: 'labels', fieldRef: { fieldPath: 'metadata.labels' } }] } },
    ];
    const containers = [{ ...container(), volumeMounts: [{ name: 'info', mountPath: '/info' }] }];
    await running({ volumes, containers });
    const file = `${(await stage.puppet('main')).env['PODRUN_VOLUME_INFO']}/labels`;
    await run('label', 'pod/web', 'tier=front');
    // A watch on the store tells the agent of the change.
    await expect.poll(() => readFileSync(file, 'utf8')).toContain('tier="front"');
  });
});

const REMOVE_GATE = '[{"op":"remove","path":"/spec/schedulingGates"}]';
