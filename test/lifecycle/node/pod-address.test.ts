import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LOOPBACK, podAddress, PRIVATE } from '../../../src/lifecycle/node/pod-address.ts';

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
        const [, third, last] = /^10\.93\.(\d+)\.(\d+)$/.exec(podAddress(PRIVATE, uid, free)) ?? [];
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
