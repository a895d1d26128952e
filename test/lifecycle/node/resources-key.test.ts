import { expect, it } from 'vitest';
import { resourcesKey } from '../../../src/lifecycle/node/node-resources.ts';
import { podWith, requesting } from '../base-objects.ts';

const plain = podWith({ containers: [{ name: 'main' }] });
const named = (uid: string, pod = plain): typeof plain => ({ ...pod, metadata: { ...pod.metadata, uid } });
const asking = podWith({ containers: [requesting({ cpu: '1' })] });
const listening = podWith({ containers: [{ name: 'main', ports: [{ containerPort: 80, hostPort: 80 }] }] });

it('is the same for any Pods without requests', () => {
  expect(resourcesKey([named('a'), named('b')])).toBe(resourcesKey([named('c'), named('d')]));
  expect(resourcesKey([named('a')])).not.toBe(resourcesKey([named('a'), named('b')]));
});

it.each([asking, listening])('changes when a Pod with requests goes or changes', (holder) => {
  const held = resourcesKey([named('a', holder), named('b')]);
  expect(resourcesKey([named('a', holder), named('c')])).toBe(held);
  expect(resourcesKey([named('c', holder), named('b')])).not.toBe(held);
  const changed = { ...holder, metadata: { ...holder.metadata, generation: 7 } };
  expect(resourcesKey([named('a', changed), named('b')])).not.toBe(held);
});
