import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { usageTotals } from '../../../../src/runtime/linux/cgroup/cgroup-usage.ts';
import { PATIENT } from '../../../patience.ts';
import { makeRig, sh } from '../../support/process-rig.ts';
import { needs } from '../../../needs.ts';

const rig = makeRig();
const folder = mkdtempSync(path.join(tmpdir(), 'podrun-usage-'));
afterAll(() => rmSync(folder, { recursive: true }));

function group(name: string, files: Readonly<Record<string, string>>): string {
  const made = path.join(folder, name);
  mkdirSync(made);
  for (const [file, text] of Object.entries(files)) writeFileSync(path.join(made, file), text);
  return made;
}

describe('what a container has taken', () => {
  it('is read from its cgroup of version 2', () => {
    const cpu = 'usage_usec 1500000\nuser_usec 1\nnr_periods 20\nnr_throttled 5\nthrottled_usec 9\n';
    expect(usageTotals([group('two', { 'memory.peak': '4096\n', 'cpu.stat': cpu })], undefined)).toEqual({
      groupPeakBytes: 4096,
      cpuSeconds: 1.5,
      cpuPeriods: 20,
      cpuPeriodsThrottled: 5,
    });
  });

  it('is read from the files of version 1, one for each controller', () => {
    const folders = [
      group('memory', { 'memory.max_usage_in_bytes': '8192\n' }),
      group('cpu', { 'cpuacct.usage': '2000000000\n', 'cpu.stat': 'nr_periods 3\nnr_throttled 0\n' }),
    ];
    expect(usageTotals(folders, 1024)).toEqual({
      groupPeakBytes: 8192,
      processPeakBytes: 1024,
      cpuSeconds: 2,
      cpuPeriods: 3,
      cpuPeriodsThrottled: 0,
    });
  });

  it('is nothing where the kernel has not counted', () => {
    expect(usageTotals([], undefined)).toBeUndefined();
    expect(usageTotals([path.join(folder, 'gone')], undefined)).toBeUndefined();
  });
});

it('is looked at when the stop of a container begins, with its children', needs('Linux'), async () => {
  const started = await rig.start(sh('sleep 100 & echo up; wait'));
  await vi.waitUntil(() => started.text().includes('up'), PATIENT);
  started.container.signal('SIGTERM');
  const { usage } = await started.exit;
  // A shell and a sleep need more than half a megabyte.
  expect(usage?.processPeakBytes).toBeGreaterThan(512 * 1024);
});

it('is not known of the processes of one that has ended by itself', needs('Linux'), async () => {
  const { exit } = await rig.run(['true']);
  expect(exit.usage?.processPeakBytes).toBeUndefined();
});

it.each(['kill', 'SIGKILL'])('is not looked at before a kill (%s)', needs('Linux'), async (how) => {
  const started = await rig.start(sh('sleep 100 & wait'));
  if (how === 'kill') started.container.kill();
  else started.container.signal('SIGKILL');
  const { usage } = await started.exit;
  expect(usage?.processPeakBytes).toBeUndefined();
});
