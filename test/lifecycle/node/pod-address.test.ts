import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  isInCluster,
  isNodeInCluster,
  LOOPBACK,
  nodeInCluster,
  nodeOnMachine,
  nodePlace,
  podAddress,
  privateRange,
} from '../../../src/lifecycle/node/pod-address.ts';

const free = (): boolean => false;

const loopbackAddress = (uid: string, isTaken: (address: string) => boolean): string =>
  podAddress(LOOPBACK, uid, isTaken);

describe('podAddress()', () => {
  it('is the same for the same Pod', () => {
    const uid = '7b3d8f6e-0000-4000-8000-000000000001';
    expect(loopbackAddress(uid, free)).toBe(loopbackAddress(uid, free));
  });

  it('is an address that a server may listen on, far from addresses in use', () => {
    fc.assert(
      fc.property(fc.uuid(), (uid) => {
        const [first, second, third, last, ...rest] = loopbackAddress(uid, free).split('.').map(Number);
        expect(first).toBe(127);
        expect(second).toBeGreaterThanOrEqual(1);
        expect(second).toBeLessThanOrEqual(254);
        expect(third).toBeGreaterThanOrEqual(0);
        expect(third).toBeLessThanOrEqual(255);
        expect(last).toBeGreaterThanOrEqual(1);
        expect(last).toBeLessThanOrEqual(254);
        expect(rest).toEqual([]);
      }),
    );
  });

  it('is a private one for a private network', () => {
    fc.assert(
      fc.property(fc.uuid(), (uid) => {
        const [, third, last] = /^10\.93\.(\d+)\.(\d+)$/.exec(podAddress(privateRange(undefined), uid, free)) ?? [];
        expect(Number(third)).toBeGreaterThanOrEqual(1);
        expect(Number(third)).toBeLessThanOrEqual(254);
        expect(Number(last)).toBeGreaterThanOrEqual(1);
        expect(Number(last)).toBeLessThanOrEqual(254);
      }),
    );
  });

  it('is none that is taken, but a neighbour of it', () => {
    fc.assert(
      fc.property(fc.uuid(), fc.integer({ min: 0, max: 100 }), (uid, others) => {
        const taken = new Set<string>();
        for (let other = 0; other < others; other++) taken.add(loopbackAddress(uid, (one) => taken.has(one)));
        expect(taken.size).toBe(others);
        expect(taken).not.toContain(loopbackAddress(uid, (one) => taken.has(one)));
      }),
    );
  });

  it('rarely equals the address of another Pod', () => {
    const uids = Array.from(
      { length: 1000 },
      (_, index) => `7b3d8f6e-0000-4000-8000-${String(index).padStart(12, '0')}`,
    );
    expect(new Set(uids.map((uid) => loopbackAddress(uid, free))).size).toBeGreaterThan(995);
  });

  it('is shared when there is no other', () => {
    expect(loopbackAddress('a', () => true)).toBe(loopbackAddress('a', free));
  });
});

describe('the addresses of a node', () => {
  it('are localhost and one of its own, where this machine is the node', () => {
    const inCluster = nodeInCluster('127.0.0.1');
    expect([inCluster, isNodeInCluster(inCluster)]).toEqual(['10.92.255.254', true]);
    expect(nodeOnMachine(inCluster)).toBe('127.0.0.1');
    expect([nodeOnMachine('127.0.0.1'), isNodeInCluster('127.0.0.1')]).toEqual(['127.0.0.1', false]);
  });

  it('go with each other: on this machine and in a cluster network', () => {
    const places = [1, 2, 254, 255, 1000].map((number) => nodePlace(number).address);
    expect(places.map(nodeInCluster)).toEqual(['10.92.0.1', '10.92.0.2', '10.92.0.254', '10.92.1.1', '10.92.3.238']);
    expect(places.map((address) => nodeOnMachine(nodeInCluster(address)))).toEqual(places);
    expect(places.map(nodeInCluster).every((address) => isNodeInCluster(address) && isInCluster(address))).toBe(true);
  });

  it('differ from addresses of Pods and machines', () => {
    for (const address of ['10.94.0.1', '10.93.1.7', '127.92.0.1', '192.168.1.4']) {
      expect([nodeInCluster(address), nodeOnMachine(address)]).toEqual([address, address]);
      expect(isNodeInCluster(address)).toBe(false);
    }
    expect(isInCluster('10.93.1.7')).toBe(true);
  });
});
