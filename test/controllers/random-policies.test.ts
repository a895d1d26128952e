import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { PolicyCompiler } from '../../src/controllers/network-policy/compile.ts';
import { endAt, judgeConnection } from '../../src/controllers/network-policy/judge.ts';
import { PolicyGate } from '../../src/controllers/network-policy/policy-gate.ts';
import { oneOf, policyWorld, protocol } from './policy-worlds.ts';

const NODE = '10.0.0.1';

it('a connection has the same verdict by the policies and by what is compiled of them', () => {
  fc.assert(
    fc.property(policyWorld, protocol, oneOf(1, 2, 3), (world, carried, number) => {
      const gate = new PolicyGate(new PolicyCompiler().compile(world), [NODE]);
      const addresses = [NODE, '203.0.113.1', '2001:db8::9', ...world.pods.flatMap((each) => each.addresses)];
      for (const from of addresses) {
        for (const to of addresses.filter((each) => each.includes(':') === from.includes(':'))) {
          const connection = { protocol: carried, port: number };
          const ends = { from: endAt(from, world.pods, [NODE]), to: endAt(to, world.pods, [NODE]) };
          const { allowed } = judgeConnection(world, { ...ends, ...connection });
          expect({ from, to, allowed: gate.permits({ from, to, ...connection }) }).toEqual({ from, to, allowed });
        }
      }
    }),
    { numRuns: 500 },
  );
});
