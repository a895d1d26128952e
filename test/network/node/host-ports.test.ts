import { expect, it } from 'vitest';
import { PrivateNetwork, type PrivateNetworkOptions } from '../../../src/network/node/private-network.ts';

it.each<[what: string, isShared: boolean, hostIP: string | undefined, want: string, nodeAddress?: string]>([
  ['no address', true, undefined, '127.0.0.1'],
  ['an address of this machine', true, '192.0.2.1', '192.0.2.1'],
  ['the address of the node in a cluster', true, '10.94.0.1', '127.0.0.1'],
  ['no address, and a Pod alone', false, undefined, '0.0.0.0'],
  ['no address, on one of several nodes', true, undefined, '127.91.0.2', '127.91.0.2'],
  ['no address, and a Pod alone on one of several nodes', false, undefined, '127.91.0.2', '127.91.0.2'],
])('a host port with %s is served where it is reached', async (...row) => {
  const [, isShared, hostIP, want, nodeAddress = '127.0.0.1'] = row;
  const served: string[] = [];
  const helper = {
    serve: ({ at }: { readonly at: { readonly address: string } }) => Promise.resolve(served.push(at.address)),
  } as unknown as PrivateNetworkOptions['helper'];
  const ports = [{ containerPort: 80, hostPort: 8080, ...(hostIP === undefined ? {} : { hostIP }) }];
  const spec = { containers: [{ name: 'main', image: 'busybox', ports }] };
  const held = undefined as unknown as PrivateNetworkOptions['held'];
  await PrivateNetwork.open({
    spec,
    address: '10.93.1.1',
    nodeAddress,
    held,
    helper,
    isShared,
    event: () => undefined,
  });
  expect(served).toEqual([want]);
});
