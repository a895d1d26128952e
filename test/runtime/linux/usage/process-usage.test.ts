import { expect, it } from 'vitest';
import { parsePsUsage, usageOfProcesses } from '../../../../src/runtime/linux/usage/process-usage.ts';

it('reads what ps says, with and without days and hundredths', () => {
  const text = '  417  1024 00:01:02\n  418    16   0:00.25\n  419     8 1-00:00:01\ngarbage\n';
  expect(parsePsUsage(text)).toEqual([
    [417, { cpuSeconds: 62, memoryBytes: 1024 * 1024 }],
    [418, { cpuSeconds: 0.25, memoryBytes: 16 * 1024 }],
    [419, { cpuSeconds: 86_401, memoryBytes: 8 * 1024 }],
  ]);
});

it('knows what this process takes; what is gone takes nothing', async () => {
  const usages = await usageOfProcesses([process.pid, 2 ** 22 + 1]);
  expect([...usages.keys()]).toEqual([process.pid]);
  const { rss } = process.memoryUsage();
  expect(usages.get(process.pid)?.memoryBytes).toBeGreaterThan(rss / 2);
  expect(usages.get(process.pid)?.memoryBytes).toBeLessThan(rss * 2);
  expect(usages.get(process.pid)?.cpuSeconds).toBeGreaterThan(0);
});
