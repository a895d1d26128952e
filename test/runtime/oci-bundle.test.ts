import { describe, expect, it } from 'vitest';
import { bundleConfig, type BundleRequest } from '../../src/runtime/linux/oci/bundle.ts';
import { defaultSeccomp } from '../../src/runtime/linux/oci/seccomp.ts';

const identity = { uid: 1000, gid: 2000, groups: [3000], capabilities: ['chown', 'net_bind_service'] };
const request: BundleRequest = {
  call: { file: '/bin/sh', argv: ['sh', '-c', 'true'], env: { A: 'b=c' }, cwd: '/work' },
  identity: { ...identity, noNewPrivileges: true },
  root: '/layer/root',
  namespaces: [{ type: 'mount' }, { type: 'pid' }, { type: 'uts', path: '/proc/7/ns/uts' }],
  areKernelFilesOpen: false,
  hasSeccomp: true,
};

describe('the bundle of a container', () => {
  it('has its process, with the user and the rights', () => {
    const names = ['CAP_CHOWN', 'CAP_NET_BIND_SERVICE'];
    expect(bundleConfig(request).process).toEqual({
      terminal: false,
      user: { uid: 1000, gid: 2000, additionalGids: [3000] },
      args: ['sh', '-c', 'true'],
      env: ['A=b=c'],
      cwd: '/work',
      capabilities: { bounding: names, effective: names, permitted: names },
      noNewPrivileges: true,
    });
  });

  it('masks the /proc of its process table; the /proc of the host is masked already', () => {
    expect(bundleConfig(request).linux).toMatchObject({
      maskedPaths: expect.arrayContaining(['/proc/kcore']),
      readonlyPaths: expect.arrayContaining(['/proc/sys']),
    });
    const { mounts, linux } = bundleConfig({ ...request, namespaces: [{ type: 'mount' }] });
    expect(mounts).toHaveLength(1);
    expect([linux.maskedPaths, linux.readonlyPaths]).toEqual([[], []]);
    expect(bundleConfig({ ...request, areKernelFilesOpen: true }).linux.maskedPaths).toEqual([]);
  });

  it('has a filter unless the manifest wants none', () => {
    expect(bundleConfig(request).linux.seccomp).toBeDefined();
    expect(bundleConfig({ ...request, hasSeccomp: false }).linux).not.toHaveProperty('seccomp');
  });
});

describe('the filter of system calls', () => {
  const allowed = (capabilities: readonly string[], machine = 'x64'): readonly string[] =>
    defaultSeccomp(capabilities, machine).syscalls[0]?.names ?? [];

  it.each(['mount', 'unshare', 'setns', 'bpf', 'keyctl', 'add_key', 'kexec_load', 'userfaultfd', 'io_uring_setup'])(
    'refuses %s',
    (name) => {
      expect(allowed([])).not.toContain(name);
    },
  );

  it('has what a capability brings', () => {
    expect(allowed(['sys_admin'])).toContain('mount');
    expect(allowed(['sys_time'])).toContain('settimeofday');
    expect(allowed(['chown'])).toEqual(allowed([]));
  });

  it('lets programs make threads, but no namespaces', () => {
    const rules = (capabilities: readonly string[]): unknown[] =>
      defaultSeccomp(capabilities, 'x64').syscalls.filter(({ names, args }) => names.includes('clone') && args);
    expect(rules([])).toEqual([
      { names: ['clone'], action: 'SCMP_ACT_ALLOW', args: [expect.objectContaining({ op: 'SCMP_CMP_MASKED_EQ' })] },
    ]);
    expect(rules(['sys_admin'])).toEqual([]);
  });

  it('has the calls of the machine', () => {
    expect(allowed([], 'x64')).toContain('arch_prctl');
    expect(allowed([], 'arm64')).not.toContain('arch_prctl');
  });
});
