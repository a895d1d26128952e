import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { PolicyCompiler } from '../../src/controllers/network-policy/compile.ts';
import { PolicyGate } from '../../src/controllers/network-policy/policy-gate.ts';
import { policyTransactions } from '../../src/network/nft/policy-rules.ts';
import { EMPTY_TABLE } from '../../src/network/nft/policy-table.ts';
import { oneOf, policyWorld, protocol } from '../controllers/policy-worlds.ts';
import { NftTable } from './nft-table.ts';

const TABLE = 'inet t';
const NODE = '10.0.0.1';
const EMPTY = `add map ${TABLE} ingress { }\nadd map ${TABLE} egress { }\nadd set ${TABLE} selves { }`;

it('after each change, the rules judge as policies that are compiled anew', () => {
  fc.assert(
    fc.property(
      fc.array(policyWorld, { minLength: 2, maxLength: 4 }),
      protocol,
      oneOf(1, 2, 3),
      (worlds, carried, port) => {
        const compiler = new PolicyCompiler();
        const nft = new NftTable();
        nft.send(EMPTY);
        let table = EMPTY_TABLE;
        for (const next of worlds) {
          // Policies stay, Pods change; then policies change as well.
          for (const world of [{ ...next, policies: worlds[0]!.policies }, next]) {
            const groups = compiler.compile(world);
            const { transactions, after } = policyTransactions(groups, table, TABLE);
            for (const transaction of transactions) nft.send(transaction);
            table = after;
            const gate = new PolicyGate(new PolicyCompiler().compile(world), [NODE]);
            const pods = world.pods.flatMap(({ addresses }) => addresses).filter((each) => !each.includes(':'));
            const ends = [...pods, '203.0.113.1'];
            for (const from of ends) {
              for (const to of ends.filter((each) => each !== from)) {
                const number = { TCP: '6', UDP: '17', SCTP: '132' }[carried];
                const packet = { 'ip saddr': from, 'ip daddr': to, 'meta l4proto': number, 'th dport': String(port) };
                const permitted = nft.permits('egress', packet) && nft.permits('ingress', packet);
                const wanted = gate.permits({ from, to, protocol: carried, port });
                expect({ from, to, permitted }).toEqual({ from, to, permitted: wanted });
              }
            }
          }
        }
      },
    ),
    { numRuns: 200 },
  );
});
