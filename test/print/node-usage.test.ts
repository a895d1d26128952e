import { expect, it } from 'vitest';
import { renderNodeUsage } from '../../src/print/pod-usage.ts';

const MI = 1024 * 1024;

it('the table of top node has whole percents of what is allocatable', () => {
  const node = { metadata: { name: 'worker' }, status: { allocatable: { cpu: '1500m', memory: '2Gi' } } };
  const usage = { node, cpuMillis: 250.2, memoryBytes: 700.9 * MI };
  expect(renderNodeUsage([usage], { headers: true })).toBe(
    'NAME     CPU(cores)   CPU(%)   MEMORY(bytes)   MEMORY(%)   \n' +
      'worker   251m         16%      700Mi           34%         \n',
  );
  expect(renderNodeUsage([{ ...usage, node: { metadata: { name: 'n' } } }], { headers: false })).toBe(
    'n     251m   0%    700Mi   0%    \n',
  );
});
