import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { groupUsage } from '../../../../src/runtime/linux/cgroup/cgroup-usage.ts';

let root = '';

beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'podrun-cgroup-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function folder(name: string, files: Readonly<Record<string, string>>): string {
  const place = path.join(root, name);
  mkdirSync(place);
  for (const [file, text] of Object.entries(files)) writeFileSync(path.join(place, file), text);
  return place;
}

it('of version 2 is read from one folder', () => {
  const group = folder('v2', {
    'cpu.stat': 'usage_usec 2500000\nuser_usec 2000000\nsystem_usec 500000\n',
    'memory.current': '10000\n',
    'memory.stat': 'anon 6000\nfile 4000\ninactive_file 1500\nactive_file 2500\n',
  });
  expect(groupUsage([group])).toEqual({ cpuSeconds: 2.5, memoryBytes: 8500 });
});

it('of version 1 is read from several', () => {
  const memory = folder('memory', {
    'memory.usage_in_bytes': '10000\n',
    'memory.stat': 'inactive_file 1\ntotal_inactive_file 4000\n',
  });
  // Version 1 has a file with the same name and other lines.
  const cpu = folder('cpu', { 'cpu.stat': 'nr_periods 3\nnr_throttled 1\nthrottled_time 9\n' });
  expect(groupUsage([memory, cpu])).toBeUndefined();
  const accounts = folder('cpuacct', { 'cpuacct.usage': '1500000000\n' });
  expect(groupUsage([memory, cpu, accounts])).toEqual({ cpuSeconds: 1.5, memoryBytes: 6000 });
});

it('of a group that is gone is not known', () => {
  expect(groupUsage([path.join(root, 'gone')])).toBeUndefined();
  expect(groupUsage([])).toBeUndefined();
});
