import { expect, it } from 'vitest';
import { PrivateNetwork } from '../../../src/network/node/private-network.ts';

const ADDRESS = '10.93.7.7';

it.each<[host: string, isShared: boolean, expected: boolean]>([
  [ADDRESS, false, true],
  [ADDRESS, true, true],
  // A hook of one Pod may call another one, as a kubelet does, or a Service.
  ['10.93.8.8', true, true],
  ['10.96.8.8', true, true],
  ['10.93.8.8', false, false],
  ['10.96.8.8', false, false],
  ['127.0.0.1', true, false],
  ['192.0.2.1', true, false],
  ['example.com', true, false],
])('%s is an address of a network that Pods share (%s): %s', async (host, isShared, expected) => {
  const unused = {} as never;
  const network = await PrivateNetwork.open({
    spec: { containers: [] },
    address: ADDRESS,
    nodeAddress: '127.0.0.1',
    held: unused,
    helper: unused,
    isShared,
    event: () => undefined,
  });
  expect(network.leadsTo(host)).toBe(expected);
});
