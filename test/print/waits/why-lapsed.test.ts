import { expect, it } from 'vitest';
import { howLapsed } from '../../../src/print/waits/goal-phrase.ts';
import { webPod } from '../pods.ts';

it.each([
  ['Running', 'did not stay ready'],
  ['Succeeded', 'did not stay ready'],
  ['Failed', 'failed'],
  ['Unknown', 'is Unknown'],
] as const)('a Pod that had reached the goal and is %s now: it %s', (phase, text) => {
  expect(howLapsed({ pod: webPod({ status: { phase } }), container: 'main' })).toBe(text);
});
