import { beforeEach, describe, expect, it } from 'vitest';
import type { PodSpec } from '../../src/api/generated/types.ts';
import { needs } from '../needs.ts';
import { needTier, TIERS } from './tiers.ts';
import { workshopForEach } from './workshop.ts';

const workshop = workshopForEach();

const ASKED = [
  { name: 'kernel/shm_rmid_forced', value: '1' },
  { name: 'net.ipv4.tcp_keepalive_time', value: '77' },
];
const LOOK = 'cat /proc/sys/kernel/shm_rmid_forced /proc/sys/net/ipv4/tcp_keepalive_time';
const FLAGS = ['--runtime', 'namespace', '--network', 'pod'];

function spec(sysctls: NonNullable<PodSpec['securityContext']>['sysctls'], ...names: readonly string[]): PodSpec {
  const containers = names.map((name) => ({ name, image: 'x', command: ['sh', '-c', LOOK] }));
  return { restartPolicy: 'Never', terminationGracePeriodSeconds: 0, securityContext: { sysctls }, containers };
}

const linesOf = (text: string, name: string): string[] =>
  [...text.matchAll(new RegExp(`│ ${name} +(\\d+)`, 'gm'))].map(([, value = '']) => value);

it(
  'the safe sysctls have the values of the Pod, and the machine keeps its own',
  needs('namespaces', 'networks'),
  async () => {
    const before = await workshop.run(['apply', workshop.pod('before', spec([], 'main')), ...FLAGS]);
    const run = await workshop.run(['apply', workshop.pod('web', spec(ASKED, 'main', 'other')), ...FLAGS]);
    expect([linesOf(run.stdout, 'main'), linesOf(run.stdout, 'other')]).toEqual([
      ['1', '77'],
      ['1', '77'],
    ]);
    expect(run.stdout).not.toContain('no effect');
    const after = await workshop.run(['apply', workshop.pod('after', spec([], 'main')), ...FLAGS]);
    expect(linesOf(after.stdout, 'main')).toEqual(linesOf(before.stdout, 'main'));
  },
);

it('the safe sysctls are set for Pods in the background, too', needs('namespaces', 'networks'), async () => {
  const file = workshop.pod('web', spec(ASKED, 'main'));
  expect(await workshop.run(['apply', '-d', file, ...FLAGS])).toMatchObject({ exitCode: 0 });
  await workshop.run(['wait', 'pod/web', '--for=jsonpath={.status.phase}=Succeeded', '--timeout=3m']);
  expect((await workshop.run(['logs', 'web'])).stdout).toBe('1\n77\n');
});

it('a value that the kernel does not take keeps the Pod from starting', needs('namespaces', 'networks'), async () => {
  const file = workshop.pod('web', spec([{ name: 'net.ipv4.tcp_keepalive_time', value: 'x' }], 'main'));
  const podrun = workshop.start(['apply', file, ...FLAGS]);
  await podrun.until(({ stdout }) => stdout.includes('FailedCreatePodSandBox'));
  expect(podrun.stdout).toContain('the kernel does not take x for the sysctl net/ipv4/tcp_keepalive_time');
  podrun.signal('SIGTERM');
  await podrun.ended;
});

describe.each(TIERS)('sysctls that are not safe, in the %s tier', (tier) => {
  beforeEach((test) => needTier(test, tier));

  it('are refused as by a kubelet', async () => {
    const file = workshop.pod('web', spec([{ name: 'kernel.msgmax', value: '1' }], 'main'));
    const run = await workshop.run(['apply', file, '--runtime', tier]);
    const why = 'SysctlForbidden: Pod was rejected: forbidden sysctl: "kernel.msgmax" not allowlisted';
    expect(run).toMatchObject({ exitCode: 1, stderr: expect.stringContaining(why) });
  });
});

it('without namespaces and a network of the Pod they are announced, and an error with --strict', async () => {
  const file = workshop.pod('web', spec(ASKED, 'main'));
  const run = await workshop.run(['apply', file, '--runtime', 'process']);
  expect(run).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('no effect: securityContext.sysctls') });
  const strict = await workshop.run(['apply', file, '--runtime', 'process', '--strict']);
  expect(strict).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('spec.securityContext.sysctls: Forbidden'),
  });
});
