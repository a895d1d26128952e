import { describe, expect, it } from 'vitest';
import { bundleConfig, type BundleRequest } from '../../src/runtime/linux/oci/bundle.ts';
import { defaultFilter } from '../../src/runtime/linux/seccomp/default-profile.ts';

const identity = { uid: 1000, gid: 2000, groups: [3000], capabilities: ['chown', 'net_bind_service'] };
const request: BundleRequest = {
  call: { file: '/bin/sh', argv: ['sh', '-c', 'true'], env: { A: 'b=c' }, cwd: '/work' },
  identity: { ...identity, noNewPrivileges: true },
  root: '/layer/root',
  namespaces: [{ type: 'mount' }, { type: 'pid' }, { type: 'uts', path: '/proc/7/ns/uts' }],
  areKernelFilesOpen: false,
  seccomp: defaultFilter({ capabilities: [], machine: 'x64', kernel: '6.1.0' }),
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
    expect(bundleConfig({ ...request, seccomp: undefined }).linux).not.toHaveProperty('seccomp');
  });
});
