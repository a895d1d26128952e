import { availableParallelism } from 'node:os';
import { describe, expect, it } from 'vitest';
import type { Pod, PodSpec } from '../../src/api/generated/types.ts';
import { podsIn, type WatchLine, watchLines, workshopForEach } from './workshop.ts';
import { LIMIT, untilTimeIsUp } from './time-limit.ts';

const workshop = workshopForEach();

const once = (spec: Partial<PodSpec> = {}): PodSpec => ({
  restartPolicy: 'Never',
  containers: [{ name: 'main', command: ['true'] }],
  ...spec,
});

const eventsIn = (lines: readonly WatchLine[]): string[] =>
  lines.flatMap(({ object }) => ('reason' in object ? [`${object.reason} ${object.message}`] : []));
const lastOf = (lines: readonly WatchLine[], name: string): Pod | undefined =>
  podsIn(lines).findLast(({ metadata }) => metadata?.name === name);

describe('a Pod that the node does not take', () => {
  it('fails after scheduling when it is for another operating system', async () => {
    const manifest = workshop.pod('panes', once({ os: { name: 'windows' } }));
    const { stdout, stderr, exitCode } = await workshop.run(['apply', manifest, '-o', 'json']);
    const why = "Failed to admit pod as the OS field doesn't match node OS";
    const lines = watchLines(stdout);
    expect(eventsIn(lines)).toEqual([
      expect.stringMatching(/^Scheduled Successfully assigned default\/panes to /),
      `PodOSNotSupported ${why}`,
    ]);
    expect(lastOf(lines, 'panes')?.status).toMatchObject({
      phase: 'Failed',
      reason: 'PodOSNotSupported',
      message: `Pod was rejected: ${why}`,
    });
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: expect.stringContaining('PodOSNotSupported') });
  });

  it('stays Pending when it names another node, which is reported at once and at the end', async () => {
    const manifest = workshop.pod('far', once({ nodeName: 'far-away' }));
    const { stdout, stderr, exitCode } = await untilTimeIsUp(
      (more) => workshop.run(['apply', manifest, '--timeout', LIMIT], {}, more),
      (shown) => shown.includes('NotThisNode'),
    );
    expect(stdout).toMatch(
      /NotThisNode: spec.nodeName is "far-away", and this node is ".*": no node here runs the Pod/,
    );
    expect(stderr).toContain('pod/far: node far-away, which spec.nodeName names, to run it');
    expect(exitCode).toBe(124);
  });

  it('names the missing labels of its nodeSelector and the setting that grants them', async () => {
    workshop.file('podrun.yaml', 'node: { labels: { zone: a, disk: hdd } }');
    const nodeSelector = { 'kubernetes.io/os': 'linux', zone: 'a', disk: 'ssd', tier: 'web' };
    const manifest = workshop.pod('picky', once({ nodeSelector }));
    const { stdout, stderr } = await untilTimeIsUp(
      (more) => workshop.run(['apply', manifest, '--timeout', LIMIT], {}, more),
      (shown) => shown.includes('lacks labels of '),
    );
    const what = 'lacks labels of spec.nodeSelector: disk=ssd (it has hdd), tier=web';
    const grant = '{ node: { labels: { disk: "ssd", tier: "web" } } }';
    expect(stdout).toContain(`${what}; podrun.yaml can grant it: ${grant}`);
    expect(stderr).toMatch(/^pod\/picky: a node to run on: node \S+ lacks labels of /m);
    expect(stderr).toContain(`${what}\n`);
    expect(stderr).toContain(`in podrun.yaml: ${grant}\n`);
  });

  it('takes the place of a Pod of lower priority', async () => {
    workshop.file('podrun.yaml', 'maxPods: 1');
    const sleeping = { ...once(), containers: [{ name: 'main', command: ['sleep', '1000'] }] };
    const low = workshop.pod('low', sleeping);
    const high = workshop.pod('high', { ...once(), priorityClassName: 'system-node-critical' });
    const { stdout, exitCode } = await workshop.run(['apply', low, high, '-o', 'json']);
    const lines = watchLines(stdout);
    const uid = lastOf(lines, 'high')?.metadata?.uid;
    expect(eventsIn(lines)).toContainEqual(expect.stringContaining(`Preempted Preempted by pod ${uid} on node `));
    expect(lastOf(lines, 'low')?.status?.conditions).toContainEqual(
      expect.objectContaining({ type: 'DisruptionTarget', reason: 'PreemptionByScheduler' }),
    );
    expect(lastOf(lines, 'high')?.status).toMatchObject({ phase: 'Succeeded' });
    expect(exitCode).toBe(1);
  });

  it('has the priority of its class', async () => {
    workshop.file('podrun.yaml', 'maxPods: 1');
    const urgent = {
      apiVersion: 'scheduling.k8s.io/v1',
      kind: 'PriorityClass',
      metadata: { name: 'urgent' },
      value: 5,
    };
    const file = workshop.file('urgent.json', JSON.stringify(urgent));
    const low = workshop.pod('low', { ...once(), containers: [{ name: 'main', command: ['sleep', '1000'] }] });
    const high = workshop.pod('high', { ...once(), priorityClassName: 'urgent' });
    const { stdout } = await workshop.run(['apply', file, low, high, '-o', 'json']);
    const lines = watchLines(stdout);
    expect(eventsIn(lines)).toContainEqual(expect.stringContaining('Preempted Preempted by pod '));
    expect(lastOf(lines, 'high')).toMatchObject({ spec: { priority: 5 }, status: { phase: 'Succeeded' } });

    const unknown = await workshop.run(['apply', workshop.pod('lost', { ...once(), priorityClassName: 'nope' })]);
    expect(unknown).toMatchObject({
      exitCode: 1,
      stderr: 'Error from server (Forbidden): pods "lost" is forbidden: no PriorityClass with name nope was found\n',
    });
  });

  it('waits for its claim, and starts once the claim is applied', async () => {
    const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'disk' } }];
    const podrun = workshop.begin(['apply', workshop.pod('keeper', once({ volumes })), '-o', 'json']);
    const why = '0/1 nodes are available: persistentvolumeclaim "disk" not found. not found';
    await podrun.until(({ lines }) => eventsIn(lines).includes(`FailedScheduling ${why}`));
    const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
    const claim = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'disk' }, spec };
    await workshop.run(['apply', workshop.file('claim.json', JSON.stringify(claim))]);
    const { stdout, exitCode } = await podrun.ended;
    expect({ exitCode, phase: lastOf(watchLines(stdout), 'keeper')?.status?.phase }).toEqual({
      exitCode: 0,
      phase: 'Succeeded',
    });
  });

  it('waits for the end of another Pod that holds its resources', async () => {
    const cpu = String(availableParallelism());
    const greedy = (command: string[]): PodSpec =>
      once({ containers: [{ name: 'main', command, resources: { requests: { cpu } } }] });
    const first = workshop.pod('first', greedy(['sh', '-c', 'until test -e go; do sleep 0.1; done']));
    const podrun = workshop.begin(['apply', first, workshop.pod('second', greedy(['true'])), '-o', 'json']);
    const why = /^FailedScheduling 0\/1 nodes are available: 1 Insufficient cpu\. /;
    await podrun.until(({ lines }) => eventsIn(lines).some((event) => why.test(event)));
    workshop.file('go', '');
    const { stdout, exitCode } = await podrun.ended;
    const lines = watchLines(stdout);
    expect({ exitCode, phase: lastOf(lines, 'second')?.status?.phase }).toEqual({ exitCode: 0, phase: 'Succeeded' });
  });
});
