import { expect, it } from 'vitest';
import { PrivateNetwork, type PrivateNetworkOptions } from '../../../src/network/node/private-network.ts';

it.each([
  ['no address', true, undefined, '127.0.0.1'],
  ['an address of this machine', true, '192.0.2.1', '192.0.2.1'],
  ['the address of the node in a cluster', true, '10.94.0.1', '127.0.0.1'],
  ['no address, and a Pod alone', false, undefined, '0.0.0.0'],
])('a host port with %s is served where it is reached', async (_what, isShared, hostIP, want) => {
  const served: string[] = [];
  const helper = {
    serve: ({ at }: { readonly at: { readonly address: string } }) => Promise.resolve(served.push(at.address)),
  } as unknown as PrivateNetworkOptions['helper'];
  const ports = [{ containerPort: 80, hostPort: 8080, ...(hostIP === undefined ? {} : { hostIP }) }];
  const spec = { containers: [{ name: 'main', image: 'busybox', ports }] };
  const held = undefined as unknown as PrivateNetworkOptions['held'];
  await PrivateNetwork.open({ spec, address: '10.93.1.1', held, helper, isShared, event: () => undefined });
  expect(served).toEqual([want]);
});
