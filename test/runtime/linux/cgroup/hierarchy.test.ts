import { describe, expect, it } from 'vitest';
import { hierarchiesOf } from '../../../../src/runtime/linux/cgroup/hierarchy.ts';

const V1 = '33 24 0:28 / /sys/fs/cgroup/memory rw,nosuid shared:14 - cgroup cgroup rw,memory';
const V2 = '30 24 0:26 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate';

describe('the hierarchies of cgroups', () => {
  it('of version 2 are one, for everything', () => {
    expect(hierarchiesOf('0::/user.slice/user-1000.slice/session-3.scope\n', `${V2}\n`)).toEqual([
      {
        version: 2,
        controllers: [],
        root: '/sys/fs/cgroup',
        own: '/sys/fs/cgroup/user.slice/user-1000.slice/session-3.scope',
      },
    ]);
  });

  it('of version 1 are several, each at its own place', () => {
    const both = '34 24 0:29 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct';
    const hybrid = '35 24 0:30 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw';
    const membership = '4:memory:/a\n3:cpu,cpuacct:/\n1:name=systemd:/init.scope\n0::/init.scope\n';
    expect(hierarchiesOf(membership, [V1, both, hybrid, '36 24 0:31 / /proc rw - proc proc rw'].join('\n'))).toEqual([
      { version: 1, controllers: ['memory'], root: '/sys/fs/cgroup/memory', own: '/sys/fs/cgroup/memory/a' },
      {
        version: 1,
        controllers: ['cpu', 'cpuacct'],
        root: '/sys/fs/cgroup/cpu,cpuacct',
        own: '/sys/fs/cgroup/cpu,cpuacct',
      },
      { version: 2, controllers: [], root: '/sys/fs/cgroup/unified', own: '/sys/fs/cgroup/unified/init.scope' },
    ]);
  });

  it('are seen from where they are mounted', () => {
    const bound = V1.replace(' / /sys', ' /docker/1 /sys').replace('cgroup/memory', String.raw`cgroup/my\040memory`);
    expect(hierarchiesOf('4:memory:/docker/1/x\n', bound)[0]).toMatchObject({ own: '/sys/fs/cgroup/my memory/x' });
    expect(hierarchiesOf('4:memory:/docker/2\n', bound)).toEqual([]);
  });

  it('that are mounted twice count once', () => {
    expect(hierarchiesOf('0::/\n', `${V2}\n${V2.replace('/sys/fs/cgroup', '/mnt')}\n`)).toHaveLength(1);
  });
});
