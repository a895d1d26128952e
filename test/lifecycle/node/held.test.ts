import { expect, it } from 'vitest';
import { heldText } from '../../../src/lifecycle/node/held.ts';
import { podWith, requesting } from '../base-objects.ts';

const plain = podWith({ containers: [{ name: 'main' }] });
const named = (uid: string, pod = plain): typeof plain => ({ ...pod, metadata: { ...pod.metadata, uid } });
const asking = podWith({ containers: [requesting({ cpu: '1' })] });
const listening = podWith({ containers: [{ name: 'main', ports: [{ containerPort: 80, hostPort: 80 }] }] });

it('is the same for Pods that ask for nothing, whichever they are', () => {
  expect(heldText([named('a'), named('b')])).toBe(heldText([named('c'), named('d')]));
  expect(heldText([named('a')])).not.toBe(heldText([named('a'), named('b')]));
});

it.each([asking, listening])('is another one where a Pod that holds something has gone or has changed', (holder) => {
  const held = heldText([named('a', holder), named('b')]);
  expect(heldText([named('a', holder), named('c')])).toBe(held);
  expect(heldText([named('c', holder), named('b')])).not.toBe(held);
  const changed = { ...holder, metadata: { ...holder.metadata, generation: 7 } };
  expect(heldText([named('a', changed), named('b')])).not.toBe(held);
});
