import { describe, expect, it } from 'vitest';
import type { HeldNetwork } from '../../../src/network/linux/holder.ts';
import { NodeNetworks } from '../../../src/network/node/node-networks.ts';

const ADDRESS = '10.92.0.1';
const OTHER = '10.92.0.2';
const LOCAL_PORT = { protocol: 'TCP', port: 8080, target: { host: '10.93.1.2', port: 80 }, onLost: () => {} } as const;

function maker() {
  const said: string[] = [];
  let number = 0;
  const make = async (): Promise<HeldNetwork> => {
    const own = ++number;
    said.push(`make ${own}`);
    await Promise.resolve();
    return {
      join: { nsenter: 'nsenter', holderPid: own, isUsers: false },
      end: async () => void said.push(`end ${own}`),
    };
  };
  const networks = new NodeNetworks(async ({ port }, { holderPid }) => {
    said.push(`serve ${port} in ${holderPid}`);
    await Promise.resolve();
    return { close: () => void said.push(`stop ${port} in ${holderPid}`) };
  });
  return { said, make, networks };
}

describe('the network of a node', () => {
  it('is one for all its Pods, and ends with the last one', async () => {
    const { said, make, networks } = maker();
    const [first, second] = await Promise.all([networks.open(ADDRESS, make), networks.open(ADDRESS, make)]);
    expect([first, second].map(({ join }) => join.holderPid)).toEqual([1, 1]);
    await first.end();
    expect(said).toEqual(['make 1']);
    await second.end();
    expect(said).toEqual(['make 1', 'end 1']);
    await networks.open(ADDRESS, make);
    await networks.open(OTHER, make);
    expect(said).toEqual(['make 1', 'end 1', 'make 2', 'make 3']);
  });

  it('is tried again by the next Pod when it could not be made', async () => {
    const { said, make, networks } = maker();
    await expect(networks.open(ADDRESS, () => Promise.reject(new Error('no right')))).rejects.toThrow('no right');
    const held = await networks.open(ADDRESS, make);
    await held.end();
    expect(said).toEqual(['make 1', 'end 1']);
  });

  it('has host ports at its localhost as long as there are both, whichever comes first', async () => {
    const { said, make, networks } = maker();
    const port = await networks.serveLocally(ADDRESS, LOCAL_PORT);
    await networks.open(OTHER, make);
    expect(said).toEqual(['make 1']);
    const first = await networks.open(ADDRESS, make);
    await first.end();
    const second = await networks.open(ADDRESS, make);
    expect(said.splice(0)).toEqual([
      'make 1',
      'make 2',
      'serve 8080 in 2',
      'stop 8080 in 2',
      'end 2',
      'make 3',
      'serve 8080 in 3',
    ]);
    port.close();
    const later = networks.serveLocally(ADDRESS, { ...LOCAL_PORT, port: 9090 });
    (await later).close();
    await second.end();
    expect(said).toEqual(['stop 8080 in 3', 'serve 9090 in 3', 'stop 9090 in 3', 'end 3']);
  });

  it('has the host ports of a Pod that comes while the network before it ends', async () => {
    const { said, make, networks } = maker();
    const first = await networks.open(ADDRESS, make);
    const port = networks.serveLocally(ADDRESS, LOCAL_PORT);
    await first.end();
    await port;
    await networks.open(ADDRESS, make);
    expect(said.at(-1)).toBe('serve 8080 in 2');
  });

  it('has the host ports of a Pod for which the network before it ended too early', async () => {
    const { make } = maker();
    const tried: number[] = [];
    let endOfNetwork = (): void => undefined;
    const networks = new NodeNetworks((_port, { holderPid }) => {
      tried.push(holderPid);
      if (holderPid > 1) return Promise.resolve({ close: () => undefined });
      return new Promise((_resolve, reject) => {
        endOfNetwork = () => reject(new Error('the network is gone'));
      });
    });
    const first = await networks.open(ADDRESS, make);
    const port = networks.serveLocally(ADDRESS, LOCAL_PORT);
    await expect.poll(() => tried).toEqual([1]);
    await first.end();
    endOfNetwork();
    await port;
    await networks.open(ADDRESS, make);
    expect(tried).toEqual([1, 2]);
  });

  it('fails for a Pod whose host port at its localhost is taken, and has it no more', async () => {
    const { make } = maker();
    const networks = new NodeNetworks(() => Promise.reject(new Error('EADDRINUSE')));
    const held = await networks.open(ADDRESS, make);
    await expect(networks.serveLocally(ADDRESS, LOCAL_PORT)).rejects.toThrow('EADDRINUSE');
    await held.end();
    await networks.open(ADDRESS, make);
  });
});
