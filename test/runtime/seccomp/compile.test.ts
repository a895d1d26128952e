import { describe, expect, it } from 'vitest';
import type { SeccompArgument, SeccompFilter } from '../../../src/runtime/base/seccomp.ts';
import { compileFilter } from '../../../src/runtime/linux/seccomp/compile.ts';
import { DEFAULT_PROFILE, defaultFilter } from '../../../src/runtime/linux/seccomp/default-profile.ts';
import { resolveProfile } from '../../../src/runtime/linux/seccomp/profile.ts';
import { compileProfile } from '../../../src/runtime/linux/seccomp/programs.ts';
import { type Architecture, syscallTable } from '../../../src/runtime/linux/seccomp/syscalls.ts';
import { type Call, judge } from './evaluate.ts';

const MACHINES = [
  { machine: 'x64', architecture: 'SCMP_ARCH_X86_64' },
  { machine: 'arm64', architecture: 'SCMP_ARCH_AARCH64' },
] as const;
const KERNEL = '6.1.0-18-amd64';
const PERMITTED = 'allow';
const [EPERM, ENOSYS] = ['error 1', 'error 38'];
const [NEWNS, NEWUSER, VM] = [0x2_00_00, 0x10_00_00_00, 0x100];

describe.each(MACHINES)('the default profile on $machine', ({ machine, architecture }) => {
  const verdict = (call: Call['call'], args: Call['args'] = [], capabilities: string[] = [], kernel = KERNEL): string =>
    judge(compileFilter(defaultFilter({ capabilities, machine, kernel }), machine), {
      machine: architecture,
      call,
      args,
    });

  it.each(['mount', 'umount2', 'unshare', 'setns', 'bpf', 'keyctl', 'add_key', 'kexec_load', 'userfaultfd'])(
    'refuses %s',
    (name) => expect(verdict(name)).toBe(EPERM),
  );

  it.each(['read', 'execve', 'mmap', 'futex_waitv', 'capset', 'seccomp', 'exit_group', 'setxattrat'])(
    'permits %s',
    (name) => expect(verdict(name)).toBe(PERMITTED),
  );

  it('permits what a capability brings', () => {
    expect(verdict('mount', [], ['sys_admin'])).toBe(PERMITTED);
    expect(verdict('mount', [], ['chown', 'sys_time'])).toBe(EPERM);
    expect(verdict('settimeofday', [], ['sys_time'])).toBe(PERMITTED);
    expect([verdict('chroot'), verdict('chroot', [], ['sys_chroot'])]).toEqual([EPERM, PERMITTED]);
  });

  it('permits debuggers since Linux 4.8, and with SYS_PTRACE before it', () => {
    for (const name of ['ptrace', 'process_vm_readv', 'process_vm_writev']) {
      expect([verdict(name, [], [], '4.7.9'), verdict(name, [], [], '4.8.0')]).toEqual([EPERM, PERMITTED]);
      expect([verdict(name, [], [], '3.10.0-1160.el7'), verdict(name, [], [], '10.0.1')]).toEqual([EPERM, PERMITTED]);
      expect(verdict(name, [], ['sys_ptrace'], '4.4.0')).toBe(PERMITTED);
    }
  });

  it('permits threads, but no namespaces', () => {
    expect(verdict('clone', [VM])).toBe(PERMITTED);
    expect([verdict('clone', [NEWNS | VM]), verdict('clone', [NEWUSER])]).toEqual([EPERM, EPERM]);
    expect(verdict('clone3')).toBe(ENOSYS);
    expect([verdict('clone', [NEWNS], ['sys_admin']), verdict('clone3', [], ['sys_admin'])]).toEqual([
      PERMITTED,
      PERMITTED,
    ]);
  });

  it('permits five personalities', () => {
    const five = [0, 8, 0x2_00_00, 0x2_00_08, 0xff_ff_ff_ff].map((value) => verdict('personality', [value]));
    expect(new Set(five)).toEqual(new Set([PERMITTED]));
    expect([verdict('personality', [0x4_00_00]), verdict('personality', [0x1_00_00_00_00n])]).toEqual([EPERM, EPERM]);
  });

  it('permits all sockets, but none of virtual machines', () => {
    expect([2, 16, 38].map((family) => verdict('socket', [family]))).toEqual([PERMITTED, PERMITTED, PERMITTED]);
    expect(verdict('socket', [40])).toBe(EPERM);
  });

  it('says of calls newer than itself that the kernel lacks them', () => {
    expect([verdict(467), verdict(100_000)]).toEqual([ENOSYS, ENOSYS]);
  });

  it('has the calls of this machine only', () => {
    const { syscalls } = resolveProfile(DEFAULT_PROFILE, { capabilities: [], machine, kernel: KERNEL });
    const names = new Set(syscalls.flatMap((rule) => rule.names));
    expect(names.has('arch_prctl')).toBe(machine === 'x64');
    expect(names.has('cacheflush')).toBe(machine === 'arm64');
  });
});

describe('a filter', () => {
  const allow = (names: readonly string[], args?: readonly SeccompArgument[]): SeccompFilter['syscalls'][number] => ({
    names,
    action: 'SCMP_ACT_ALLOW',
    ...(args && { args }),
  });
  const filterOf = (syscalls: SeccompFilter['syscalls'], more: Partial<SeccompFilter> = {}): SeccompFilter => ({
    defaultAction: 'SCMP_ACT_ERRNO',
    architectures: ['SCMP_ARCH_X86_64'],
    syscalls,
    ...more,
  });
  const verdict = (
    filter: SeccompFilter,
    call: Call['call'],
    args: Call['args'] = [],
    machine: Architecture = 'SCMP_ARCH_X86_64',
  ): string => judge(compileFilter(filter, 'x64'), { machine, call, args });

  const BIG = 0x1_00_00_00_05n;
  it.each([
    ['NE', [4n, 5n, BIG], [true, false, true]],
    ['LT', [4n, 5n, BIG], [true, false, false]],
    ['LE', [5n, 6n, BIG], [true, false, false]],
    ['EQ', [5n, 4n, BIG], [true, false, false]],
    ['GE', [5n, 4n, BIG], [true, false, true]],
    ['GT', [6n, 5n, BIG], [true, false, true]],
  ] as const)('compares by %s', (op, values, want) => {
    const filter = filterOf([allow(['read'], [{ index: 2, value: 5, op: `SCMP_CMP_${op}` }])]);
    const held = values.map((value) => verdict(filter, 'read', [0, 0, value]) === PERMITTED);
    expect(held).toEqual(want);
  });

  it.each(['LT', 'LE', 'GE', 'GT'] as const)('compares all 64 bits by %s', (op) => {
    const value = String(BIG);
    const filter = filterOf([allow(['read'], [{ index: 0, value, op: `SCMP_CMP_${op}` }])]);
    const isLess = op.startsWith('L');
    const held = [BIG - 1n, BIG + 1n, 7n, 0x2_00_00_00_00n].map((arg) => verdict(filter, 'read', [arg]) === PERMITTED);
    expect(held).toEqual([isLess, !isLess, isLess, !isLess]);
    expect(verdict(filter, 'read', [BIG]) === PERMITTED).toBe(op.endsWith('E'));
  });

  it('compares what a mask leaves', () => {
    const rule = { index: 1, value: '18446744069414584335', valueTwo: '4294967301', op: 'SCMP_CMP_MASKED_EQ' } as const;
    const filter = filterOf([allow(['ioctl'], [rule])]);
    const values = [0x1_00_00_00_05n, 0x1_00_00_00_f5n, 0x5n, 0x1_00_00_00_0fn];
    expect(values.map((value) => verdict(filter, 'ioctl', [0, value]))).toEqual([PERMITTED, PERMITTED, EPERM, EPERM]);
  });

  it('needs all conditions of a rule, of several ones about an argument any', () => {
    const is = (index: number, value: number): SeccompArgument => ({ index, value, op: 'SCMP_CMP_EQ' });
    const both = filterOf([allow(['socket'], [is(0, 2), is(1, 1)])]);
    expect([verdict(both, 'socket', [2, 1]), verdict(both, 'socket', [2, 2])]).toEqual([PERMITTED, EPERM]);
    const either = filterOf([allow(['socket'], [is(0, 2), is(0, 10)])]);
    expect([2, 10, 3].map((family) => verdict(either, 'socket', [family]))).toEqual([PERMITTED, PERMITTED, EPERM]);
  });

  it('does of several rules what the first one says that holds, of one without conditions always', () => {
    const one: SeccompArgument = { index: 0, value: 1, op: 'SCMP_CMP_EQ' };
    const rules = [
      { ...allow(['read'], [one]), action: 'SCMP_ACT_ERRNO', errnoRet: 5 } as const,
      { ...allow(['read'], [{ ...one, op: 'SCMP_CMP_GE' }]), action: 'SCMP_ACT_LOG' } as const,
    ];
    expect([1, 2, 0].map((fd) => verdict(filterOf(rules), 'read', [fd]))).toEqual(['error 5', 'log', EPERM]);
    expect(verdict(filterOf([...rules, allow(['read'])]), 'read', [1])).toBe(PERMITTED);
  });

  it.each([
    ['SCMP_ACT_KILL', 'kill thread'],
    ['SCMP_ACT_KILL_THREAD', 'kill thread'],
    ['SCMP_ACT_KILL_PROCESS', 'kill process'],
    ['SCMP_ACT_TRAP', 'trap'],
    ['SCMP_ACT_TRACE', 'trace 7'],
    ['SCMP_ACT_LOG', 'log'],
    ['SCMP_ACT_ERRNO', 'error 7'],
  ] as const)('can have the action %s, by default and for a call', (action, want) => {
    const permits = filterOf([{ names: ['write'], action, errnoRet: 7 }], { defaultAction: 'SCMP_ACT_ALLOW' });
    expect([verdict(permits, 'write'), verdict(permits, 'read')]).toEqual([want, PERMITTED]);
    const forbids = filterOf([allow(['write'])], { defaultAction: action, defaultErrnoRet: 7 });
    expect([verdict(forbids, 'write'), verdict(forbids, 'read')]).toEqual([PERMITTED, want]);
  });

  it('permits new calls where it permits all that it does not name', () => {
    const filter = filterOf([{ names: ['write'], action: 'SCMP_ACT_ERRNO' }], { defaultAction: 'SCMP_ACT_ALLOW' });
    expect(verdict(filter, 1000)).toBe(PERMITTED);
  });

  it('is for the machines that it names; another one has no calls at all', () => {
    const own = filterOf([allow(['read'])]);
    expect(verdict(own, 'read', [], 'SCMP_ARCH_X86')).toBe('kill thread');
    const both = filterOf([allow(['read'])], { architectures: ['SCMP_ARCH_X86_64', 'SCMP_ARCH_X86'] });
    expect([verdict(both, 'read', [], 'SCMP_ARCH_X86'), verdict(both, 'exit', [], 'SCMP_ARCH_X86')]).toEqual([
      PERMITTED,
      EPERM,
    ]);
    // The same number with the mark of x32 is no way around the filter.
    expect(verdict(both, 0x40_00_00_00)).toBe(ENOSYS);
  });

  it('skips calls that the machine does not have', () => {
    expect(verdict(filterOf([allow(['no_such_call', 'read'])]), 'read')).toBe(PERMITTED);
  });

  it('is refused when it is longer than the kernel takes', () => {
    const args = (value: number): SeccompArgument[] => [{ index: 0, value, op: 'SCMP_CMP_EQ' }];
    const rules = Array.from({ length: 700 }, (_, value) => allow(['read'], args(value)));
    expect(() => compileFilter(filterOf(rules), 'x64')).toThrow(/instructions, and the kernel takes 4096/);
    const many = compileFilter(filterOf(rules.slice(0, 500)), 'x64');
    expect(judge(many, { machine: 'SCMP_ARCH_X86_64', call: 'read', args: [499] })).toBe(PERMITTED);
    expect(judge(many, { machine: 'SCMP_ARCH_X86_64', call: 'read', args: [500] })).toBe(EPERM);
  });
});

describe('the tables of calls', () => {
  it.each([
    ['SCMP_ARCH_X86_64', { read: 0, execve: 59, clone: 56, seccomp: 317, clone3: 435, mseal: 462 }],
    ['SCMP_ARCH_AARCH64', { read: 63, execve: 221, clone: 220, seccomp: 277, clone3: 435, mseal: 462 }],
    ['SCMP_ARCH_X86', { read: 3, execve: 11, clone: 120, seccomp: 354, clone3: 435, socketcall: 102 }],
  ] as const)('of %s have the numbers of the kernel', (architecture, want) => {
    const { numbers } = syscallTable(architecture);
    expect(Object.fromEntries(Object.keys(want).map((name) => [name, numbers.get(name)]))).toEqual(want);
    expect(numbers.size).toBe(new Set(numbers.values()).size);
  });
});

describe('a compiled profile', () => {
  const place = { capabilities: ['chown'], machine: 'x64', kernel: KERNEL };

  it('is the same program for the same profile and place, and compiled once', () => {
    const first = compileProfile(DEFAULT_PROFILE, place);
    expect(compileProfile({ ...DEFAULT_PROFILE }, { ...place })).toBe(first);
    expect(compileProfile(DEFAULT_PROFILE, { ...place, capabilities: ['sys_admin'] }).program).not.toEqual(
      first.program,
    );
  });

  it('has the flags that it names', () => {
    const flags = ['SECCOMP_FILTER_FLAG_LOG', 'SECCOMP_FILTER_FLAG_SPEC_ALLOW'];
    expect(compileProfile({ defaultAction: 'SCMP_ACT_ALLOW', flags }, place).program).toMatchObject({ flags: 6 });
  });
});
