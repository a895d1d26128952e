import { expect, it } from 'vitest';
import { PrivateNetwork, type PrivateNetworkOptions } from '../../../src/network/node/private-network.ts';

/** Kinds of nodes: this machine, with networks of single Pods; this machine and a declared node in a cluster. */
const ALONE = '127.0.0.1';
const MACHINE = '10.92.255.254';
const DECLARED = '10.92.0.2';

it.each<[what: string, nodeAddress: string, hostIP: string | undefined, want: readonly string[]]>([
  ['no address, and a Pod alone', ALONE, undefined, ['0.0.0.0']],
  ['an address of this machine, and a Pod alone', ALONE, '192.0.2.1', ['192.0.2.1']],
  ['no address, and a Pod alone on one of several nodes', '127.91.0.2', undefined, ['127.91.0.2']],
  ['no address', MACHINE, undefined, ['127.0.0.1', 'the address of the node']],
  ['an address of this machine', MACHINE, '192.0.2.1', ['192.0.2.1']],
  ['the address that leads to this machine', MACHINE, '10.94.0.1', ['127.0.0.1', 'the address of the node']],
  ['localhost', MACHINE, '127.0.0.1', ['the localhost of the node', '127.0.0.1']],
  // Both are told apart, as on a cluster.
  ['the address of the node', MACHINE, MACHINE, ['the address of the node']],
  ['no address, on one of several nodes', DECLARED, undefined, ['127.91.0.2', 'the address of the node']],
  ['localhost, on one of several nodes', DECLARED, '127.0.0.1', ['the localhost of the node']],
  ['the address of the node, one of several', DECLARED, DECLARED, ['127.91.0.2', 'the address of the node']],
])('a host port with %s is served where it is reached', async (...[, nodeAddress, hostIP, want]) => {
  const served: string[] = [];
  const helper = {
    serve: ({ at }: { readonly at: { readonly address: string } }) => Promise.resolve(served.push(at.address)),
  } as unknown as PrivateNetworkOptions['helper'];
  const serve = (place: string) => () => {
    served.push(place);
    return Promise.resolve({ close: () => undefined });
  };
  const isShared = nodeAddress.startsWith('10.');
  const ports = [{ containerPort: 80, hostPort: 8080, ...(hostIP === undefined ? {} : { hostIP }) }];
  const held = undefined as unknown as PrivateNetworkOptions['held'];
  await PrivateNetwork.open({
    spec: { containers: [{ name: 'main', image: 'busybox', ports }] },
    address: '10.93.1.1',
    nodeAddress,
    held,
    helper,
    isShared,
    serveInCluster: isShared ? serve('the address of the node') : undefined,
    serveLocally: isShared ? serve('the localhost of the node') : undefined,
    event: () => undefined,
  });
  expect(served).toEqual(want);
});
