import { describe, expect, it } from 'vitest';
import { parseProfile } from '../../../src/runtime/linux/seccomp/parse-profile.ts';
import { resolveProfile, type SeccompProfile } from '../../../src/runtime/linux/seccomp/profile.ts';

const place = { capabilities: ['net_admin'], machine: 'x64', kernel: '5.4.0' };

/** The names of calls that a profile has rules for in this place. */
function namesIn(syscalls: SeccompProfile['syscalls'], where = place): string[] {
  return resolveProfile({ defaultAction: 'SCMP_ACT_ERRNO', ...(syscalls && { syscalls }) }, where).syscalls.flatMap(
    ({ names }) => names,
  );
}

describe('a profile in one place', () => {
  const rule = (name: string, more: object) => ({ names: [name], action: 'SCMP_ACT_ALLOW' as const, ...more });

  it('has the rules of its capabilities', () => {
    const rules = [
      rule('a', { includes: { caps: ['CAP_NET_ADMIN'] } }),
      rule('b', { includes: { caps: ['CAP_NET_ADMIN', 'CAP_SYS_ADMIN'] } }),
      rule('c', { excludes: { caps: ['CAP_NET_ADMIN'] } }),
      rule('d', { excludes: { caps: ['CAP_SYS_ADMIN'] } }),
      rule('e', { includes: {}, excludes: {} }),
    ];
    expect(namesIn(rules)).toEqual(['a', 'd', 'e']);
  });

  it('has the rules of its machine and kernel', () => {
    const rules = [
      rule('a', { includes: { arches: ['amd64', 'x32'] } }),
      rule('b', { includes: { arches: ['arm64'] } }),
      rule('c', { excludes: { arches: ['amd64'] } }),
      rule('d', { includes: { minKernel: '5.4' } }),
      rule('e', { includes: { minKernel: '5.5' } }),
      rule('f', { includes: { minKernel: '10.1' } }),
      rule('g', { excludes: { minKernel: '4.8' } }),
    ];
    expect(namesIn(rules)).toEqual(['a', 'd']);
    expect(namesIn(rules, { ...place, machine: 'arm64', kernel: '10.2' })).toEqual(['b', 'c', 'd', 'e', 'f']);
  });

  it('has the machines that it names, or all that go with its machine', () => {
    const archMap = [{ architecture: 'SCMP_ARCH_X86_64', subArchitectures: ['SCMP_ARCH_X86'] }];
    const of = (profile: Partial<SeccompProfile>): readonly string[] =>
      resolveProfile({ defaultAction: 'SCMP_ACT_ERRNO', ...profile }, place).architectures;
    expect(of({ archMap })).toEqual(['SCMP_ARCH_X86_64', 'SCMP_ARCH_X86']);
    expect(of({})).toEqual(['SCMP_ARCH_X86_64']);
    expect(of({ archMap, architectures: ['SCMP_ARCH_AARCH64'] })).toEqual(['SCMP_ARCH_AARCH64']);
  });

  it('may name a call alone, as old profiles do', () => {
    expect(namesIn([{ name: 'chmod', action: 'SCMP_ACT_ERRNO' }])).toEqual(['chmod']);
  });
});

describe('a file with a profile', () => {
  it('keeps numbers of 64 bits exact', () => {
    const args = '[{"index": 0, "value": 18446744073709551615, "valueTwo": 7, "op": "SCMP_CMP_MASKED_EQ"}]';
    const rule = `{"names": ["a"], "action": "SCMP_ACT_LOG", "args": ${args}}`;
    const text = `{"defaultAction": "SCMP_ACT_ALLOW", "syscalls": [${rule}]}`;
    expect(parseProfile(text).syscalls?.[0]?.args?.[0]).toMatchObject({ value: '18446744073709551615', valueTwo: 7 });
  });

  it('may have nothing in place of a list', () => {
    const text = '{"defaultAction": "SCMP_ACT_LOG", "architectures": null, "syscalls": null}';
    expect(() => parseProfile(text)).not.toThrow();
  });

  it.each([
    ['[]', 'the profile: [] is not supported'],
    ['{"defaultAction": "ALLOW"}', 'defaultAction: "ALLOW" is not supported'],
    ['{}', 'defaultAction: nothing is not supported'],
    ['{"defaultAction": "SCMP_ACT_NOTIFY"}', 'defaultAction: "SCMP_ACT_NOTIFY" is not supported'],
    [
      '{"defaultAction": "SCMP_ACT_LOG", "syscalls": [{"names": ["a"], "action": "x"}]}',
      'syscalls[0].action: "x" is not supported',
    ],
    [
      '{"defaultAction": "SCMP_ACT_LOG", "syscalls": [{"names": "a", "action": "SCMP_ACT_LOG"}]}',
      'syscalls[0].names: "a" is not supported',
    ],
    [
      '{"defaultAction": "SCMP_ACT_LOG", "syscalls": [{"action": "SCMP_ACT_LOG", "args": [{"index": 6}]}]}',
      'syscalls[0].args[0].index: 6 is not supported',
    ],
    [
      '{"defaultAction": "SCMP_ACT_LOG", "syscalls": [{"action": "SCMP_ACT_LOG", "includes": {"minKernel": 4}}]}',
      'syscalls[0].includes.minKernel: 4 is not supported',
    ],
  ])('is refused with the place of the mistake: %s', (text, message) => {
    expect(() => parseProfile(text)).toThrow(message);
  });
});
