import { expect, it } from 'vitest';
import type { Pod } from '../../src/api/generated/types.ts';
import { needs } from '../needs.ts';
import { run, shellPod } from './pods.ts';

/** A Pod with one sysctl, which it prints. */
function podWith(name: string, value: string): Pod {
  const securityContext = { sysctls: [{ name, value }] };
  return shellPod('web', `cat /proc/sys/${name.replaceAll('.', '/')}`, {}, { securityContext });
}

it('run() sets a safe sysctl in the namespaces of the Pod', needs('namespaces', 'networks'), async () => {
  const options = { runtime: 'namespace', network: 'pod', imageSource: 'host' } as const;
  await using pods = await run(podWith('net.ipv4.tcp_keepalive_time', '77'), options);
  await pods.until('Succeeded');
  expect(pods.logs()).toBe('77\n');
});

it('run() rejects a Pod with a sysctl that is not safe, as a kubelet does', async () => {
  await using pods = await run(podWith('kernel.msgmax', '1'), { runtime: 'process' });
  await expect(pods.until('Succeeded')).rejects.toThrow('forbidden sysctl: "kernel.msgmax" not allowlisted');
  expect(pods.get('web').status).toMatchObject({ phase: 'Failed', reason: 'SysctlForbidden' });
});

it('run() announces a safe sysctl where the Pod has no namespaces', async () => {
  await using pods = await run(podWith('net.ipv4.tcp_keepalive_time', '77'), { runtime: 'process', network: 'host' });
  await pods.until('Succeeded');
  expect(pods.logs()).not.toBe('77\n');
  const events = pods.events().filter(({ reason }) => reason === 'FieldHasNoEffect');
  expect(events.map(({ message }) => message)).toEqual([expect.stringMatching(/^spec\.securityContext\.sysctls: /)]);
});
