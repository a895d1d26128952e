import { expect, it } from 'vitest';
import type { StoredPod } from '../../../src/api/base/objects.ts';
import { SystemClock } from '../../../src/clock.ts';
import { PodAddresses } from '../../../src/network/node/pod-addresses.ts';
import { node } from '../../lifecycle/base-objects.ts';

const podOf = (uid: string): StoredPod => ({ metadata: { uid }, spec: {}, status: {} }) as unknown as StoredPod;
const ids = (count: number): string[] => Array.from({ length: count }, (_, index) => `uid-${index}`);

it('Pods of a node that begin at once get different addresses', async () => {
  const nodeOf = () => ({ ...node, podCIDR: '10.93.1.0/24' });
  const addresses = new PodAddresses({ clock: new SystemClock(), files: { addressesInUse: () => new Set() }, nodeOf });
  const given = await Promise.all(ids(200).map((uid) => addresses.give(podOf(uid), true)));
  expect(new Set(given).size).toBe(200);
  expect(given.every((address) => address.startsWith('10.93.1.'))).toBe(true);
});
