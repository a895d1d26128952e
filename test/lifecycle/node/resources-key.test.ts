import { expect, it } from 'vitest';
import { resourcesKey } from '../../../src/lifecycle/node/node-resources.ts';
import { podWith, requesting } from '../base-objects.ts';

const plain = podWith({ containers: [{ name: 'main' }] });
const named = (uid: string, pod = plain): typeof plain => ({ ...pod, metadata: { ...pod.metadata, uid } });
const asking = podWith({ containers: [requesting({ cpu: '1' })] });
const listening = podWith({ containers: [{ name: 'main', ports: [{ containerPort: 80, hostPort: 80 }] }] });

it('is the same for any Pods without requests', () => {
  expect(resourcesKey(plain, [named('a'), named('b')])).toBe(resourcesKey(plain, [named('c'), named('d')]));
  expect(resourcesKey(plain, [named('a')])).not.toBe(resourcesKey(plain, [named('a'), named('b')]));
});

it.each([asking, listening])('changes when a Pod with requests goes or changes', (holder) => {
  const held = resourcesKey(plain, [named('a', holder), named('b')]);
  expect(resourcesKey(plain, [named('a', holder), named('c')])).toBe(held);
  expect(resourcesKey(plain, [named('c', holder), named('b')])).not.toBe(held);
  const changed = { ...holder, metadata: { ...holder.metadata, generation: 7 } };
  expect(resourcesKey(plain, [named('a', changed), named('b')])).not.toBe(held);
});

it('counts each Pod for one with rules about Pods that it may not be with', () => {
  const podAntiAffinity = {
    requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'kubernetes.io/hostname' }],
  };
  const apart = podWith({ affinity: { podAntiAffinity } });
  expect(resourcesKey(apart, [named('a')])).not.toBe(resourcesKey(apart, [named('b')]));
  expect(resourcesKey(plain, [named('a', apart)])).not.toBe(resourcesKey(plain, [named('b', apart)]));
});
