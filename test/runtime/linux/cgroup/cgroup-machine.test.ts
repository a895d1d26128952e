import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SystemClock } from '../../../../src/clock.ts';
import { CgroupGroup, groupNames } from '../../../../src/runtime/linux/cgroup/cgroup-group.ts';
import { exploreCgroups } from '../../../../src/runtime/linux/cgroup/cgroup-machine.ts';

let root = '';

beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'podrun-cgroup-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** Writes the files of a group, which the kernel would make. */
function group(folder: string, files: Readonly<Record<string, string>> = {}): string {
  const place = path.join(root, folder);
  mkdirSync(place, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(place, name), text);
  return place;
}

const mounted = (folder: string, type: string, options: string): string =>
  `30 24 0:26 / ${path.join(root, folder)} rw - ${type} ${type} rw,${options}`;

const V2 = { 'cgroup.controllers': 'cpuset cpu io memory pids', 'cgroup.subtree_control': 'cpu memory pids' };

const LIMITS = {
  memoryBytes: 1024,
  cpuMillis: 500,
  cpuRequestMillis: 250,
  pids: undefined,
  together: { memoryBytes: 4096, cpuMillis: undefined, cpuRequestMillis: 250, pids: 10 },
};

describe('cgroups of version 1', () => {
  it('are made below our own group, in each hierarchy', () => {
    group('memory/own');
    group('cpu,cpuacct');
    const machine = exploreCgroups({
      membership: '2:memory:/own\n1:cpu,cpuacct:/\n',
      mounts: `${mounted('memory', 'cgroup', 'memory')}\n${mounted('cpu,cpuacct', 'cgroup', 'cpu,cpuacct')}`,
      isRoot: false,
    });
    expect(Object.fromEntries(machine.locations)).toEqual({
      memory: { version: 1, parent: path.join(root, 'memory/own/podrun') },
      cpu: { version: 1, parent: path.join(root, 'cpu,cpuacct/podrun') },
      cpuacct: { version: 1, parent: path.join(root, 'cpu,cpuacct/podrun') },
    });
    expect(Object.fromEntries(machine.missing)).toEqual({ pids: 'no cgroups are mounted' });

    const made = CgroupGroup.make(machine, 'uid/main/0', LIMITS, new SystemClock());
    if (!made.ok) throw new Error(made.error);
    const [memory = '', cpu = ''] = made.group.folders;
    expect(memory).toBe(path.join(root, 'memory/own/podrun/uid/main_0'));
    const text = (...names: string[]): string => readFileSync(path.join(...names), 'utf8');
    expect(text(memory, 'memory.limit_in_bytes')).toBe('1024');
    expect(text(memory, '..', 'memory.limit_in_bytes')).toBe('4096');
    expect(text(cpu, 'cpu.cfs_quota_us')).toBe('50000');
    expect(text(cpu, '..', 'cpu.shares')).toBe('256');
    // The processes are in a group with the same limits, which they may change without an effect.
    expect(made.group.inner).toEqual(made.group.folders.map((folder) => path.join(folder, 'inside')));
    expect(text(memory, 'inside', 'memory.limit_in_bytes')).toBe('1024');
    expect(text(cpu, 'inside', 'cpu.cfs_quota_us')).toBe('50000');
    expect(made.group.wasOutOfMemory()).toBe(false);
    writeFileSync(path.join(memory, 'inside', 'memory.oom_control'), 'oom_kill_disable 0\nunder_oom 0\noom_kill 2\n');
    expect(made.group.wasOutOfMemory()).toBe(true);
  });

  it('that cannot be made are missing, with the reason', () => {
    // Not even root can make a folder below a file.
    writeFileSync(path.join(root, 'memory'), '');
    const machine = exploreCgroups({
      membership: '2:memory:/\n',
      mounts: mounted('memory', 'cgroup', 'memory'),
      isRoot: false,
    });
    expect(machine.locations.size).toBe(0);
    expect(machine.missing.get('memory')).toBe(`no group can be made in ${path.join(root, 'memory')}: not a directory`);
  });
});

describe('cgroups of version 2', () => {
  const sources = (own: string, isRoot: boolean) => ({
    membership: `0::${own}\n`,
    mounts: mounted('v2', 'cgroup2', 'nsdelegate'),
    isRoot,
  });

  it('are made at the top by root, below our own group by other users', () => {
    group('v2', V2);
    group('v2/podrun', V2);
    group('v2/mine.scope', V2);
    group('v2/mine.scope/podrun', V2);
    const parents = [true, false].map(
      (isRoot) => exploreCgroups(sources('/mine.scope', isRoot)).locations.get('memory')?.parent,
    );
    expect(parents).toEqual([path.join(root, 'v2/podrun'), path.join(root, 'v2/mine.scope/podrun')]);
  });

  it('have their limits, and are killed as a whole', () => {
    group('v2', V2);
    group('v2/podrun', V2);
    const machine = exploreCgroups(sources('/', true));
    const made = CgroupGroup.make(machine, 'uid/main/0', LIMITS, new SystemClock());
    if (!made.ok) throw new Error(made.error);
    const [folder = ''] = made.group.folders;
    expect(made.group.folders).toEqual([path.join(root, 'v2/podrun/uid/main_0')]);
    const files = ['memory.max', 'memory.swap.max', 'memory.oom.group', 'cpu.max', 'cpu.weight', '../pids.max'];
    expect(files.map((file) => readFileSync(path.join(folder, file), 'utf8'))).toEqual([
      '1024',
      '0',
      '1',
      '50000 100000',
      '35',
      '10',
    ]);
    writeFileSync(path.join(folder, 'memory.events'), 'low 0\nhigh 0\nmax 9\noom 1\noom_kill 1\noom_group_kill 1\n');
    expect(made.group.wasOutOfMemory()).toBe(true);
  });

  it('without controllers are of no use', () => {
    group('v2', { 'cgroup.controllers': '' });
    const { locations, missing } = exploreCgroups(sources('/', true));
    expect(locations.size).toBe(0);
    expect(missing.get('memory')).toBe(`${path.join(root, 'v2')} has no controllers`);
  });
});

it.each([
  ['uid/main/0', { together: 'uid', own: 'main_0' }],
  ['one', { together: 'one', own: 'one' }],
  ['../a/..', { together: '%2E.', own: 'a_%2E.' }],
])('the groups of %s are %j', (id, want) => {
  expect(groupNames(id)).toEqual(want);
});
