import { expect, it } from 'vitest';
import type { Taint, Toleration } from '../../../src/api/generated/types.ts';
import { toleranceMs } from '../../../src/lifecycle/node/taints.ts';

const repair: Taint = { key: 'repair', effect: 'NoExecute' };
const exists = (key: string, tolerationSeconds?: number): Toleration => ({
  key,
  operator: 'Exists',
  ...(tolerationSeconds !== undefined && { tolerationSeconds }),
});

it.each<[string, Toleration[], Taint[], number]>([
  ['no taint', [], [], Infinity],
  ['a taint that only stops the scheduler', [], [{ key: 'a', effect: 'NoSchedule' }], Infinity],
  ['no toleration', [exists('other')], [repair], 0],
  ['a toleration for ever', [exists('repair')], [repair], Infinity],
  ['a toleration for a time', [exists('repair', 30)], [repair], 30_000],
  ['a negative time', [exists('repair', -1)], [repair], 0],
  ['the first toleration that matches', [exists('repair', 30), exists('repair')], [repair], 30_000],
  [
    'the shortest of several',
    [exists('a', 9), exists('repair', 30)],
    [repair, { key: 'a', effect: 'NoExecute' }],
    9000,
  ],
  ['one of two', [exists('repair')], [repair, { key: 'a', effect: 'NoExecute' }], 0],
])('a Pod tolerates NoExecute taints: %s', (_, tolerations, taints, ms) => {
  expect(toleranceMs({ containers: [], tolerations }, taints)).toBe(ms);
});
