import { describe, expect, it } from 'vitest';
import type { PodSpec } from '../../../src/api/generated/types.ts';
import { podSysctls, sysctlRejection } from '../../../src/lifecycle/node/sysctls.ts';

function specWith(...sysctls: ReadonlyArray<readonly [name: string, value: string]>): PodSpec {
  return { containers: [], securityContext: { sysctls: sysctls.map(([name, value]) => ({ name, value })) } };
}

describe('the sysctls of a Pod', () => {
  it('are distinguished by their namespaces, whatever separates their names', () => {
    const spec = specWith(
      ['kernel/shm_rmid_forced', '1'],
      ['net.ipv4.ip_local_port_range', '2000 3000'],
      ['net/ipv4/tcp_rmem', '4096\t5000\n6000'],
    );
    expect(sysctlRejection(spec)).toBeUndefined();
    expect(podSysctls(spec)).toEqual({
      memory: '1',
      network: [
        ['net/ipv4/ip_local_port_range', '2000 3000'],
        ['net/ipv4/tcp_rmem', '4096\t5000 6000'],
      ],
    });
    expect(podSysctls({ containers: [] })).toEqual({ memory: undefined, network: [] });
  });

  it.each([
    ['kernel.msgmax', 'kernel.msgmax'],
    ['kernel/sem', 'kernel.sem'],
    ['net.ipv4.conf.all.forwarding', 'net.ipv4.conf.all.forwarding'],
    ['vm.swappiness', 'vm.swappiness'],
    ['net.ipv4.tcp_syncookies2', 'net.ipv4.tcp_syncookies2'],
  ])('are refused when they are not safe: %s', (name, dotted) => {
    const spec = specWith(['net.ipv4.tcp_syncookies', '1'], [name, '1']);
    expect(sysctlRejection(spec)).toEqual({
      reason: 'SysctlForbidden',
      why: `forbidden sysctl: "${dotted}" not allowlisted`,
    });
  });
});
