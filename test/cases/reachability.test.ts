import { describe, expect, it } from 'vitest';
import { PolicyCompiler } from '../../src/controllers/network-policy/compile.ts';
import { judgeConnection } from '../../src/controllers/network-policy/judge.ts';
import { PolicyGate } from '../../src/controllers/network-policy/policy-gate.ts';
import type { PolicyPod } from '../../src/controllers/network-policy/policy-pods.ts';
import type { PolicyWorld } from '../../src/controllers/network-policy/rules.ts';
import { policyTransactions } from '../../src/network/nft/policy-rules.ts';
import { EMPTY_TABLE } from '../../src/network/nft/policy-table.ts';
import { NftTable } from '../network/nft-table.ts';
import {
  addressInModel,
  type Attempt,
  isOpen,
  NAMESPACES,
  PODS,
  PORTS,
  PROTOCOLS,
  REACHABILITY,
  type ReachabilityCase,
} from './reachability.ts';

const TABLE = 'inet t';
const EMPTY = `add map ${TABLE} ingress { }\nadd map ${TABLE} egress { }\nadd set ${TABLE} selves { }`;
const NUMBERS = { TCP: '6', UDP: '17', SCTP: '132' };

const MODEL = PODS.map((pod): PolicyPod => {
  const [namespace = '', name = ''] = pod.split('/');
  const ports = PROTOCOLS.flatMap((protocol) =>
    PORTS.map((number) => ({ name: `serve-${number}-${protocol.toLowerCase()}`, protocol, number })),
  );
  return { namespace, name, labels: { pod: name }, addresses: [addressInModel(pod)], ports, isOnNode: false };
});

const ATTEMPTS = PROTOCOLS.flatMap((protocol) =>
  PORTS.flatMap((port) => PODS.flatMap((from) => PODS.map((to) => ({ from, to, port, protocol })))),
);

function worldOf({ policies }: ReachabilityCase): PolicyWorld {
  return {
    policies: policies.map(([namespace, spec], index) => ({ metadata: { name: `p${index}`, namespace }, spec })),
    pods: MODEL,
    namespaces: NAMESPACES.map((name) => ({ metadata: { name, labels: { ns: name } } })),
  };
}

/** The open connections, as lines: `x/a > y/b 80 TCP`. */
function open(isThrough: (attempt: Attempt & { readonly protocol: 'TCP' | 'UDP' | 'SCTP' }) => boolean): string[] {
  return ATTEMPTS.filter(isThrough).map(({ from, to, port, protocol }) => `${from} > ${to} ${port} ${protocol}`);
}

describe('three namespaces with three Pods each', () => {
  it.each(REACHABILITY)('reach each other as the table says: $title', (one) => {
    const world = worldOf(one);
    const wanted = open((attempt) => isOpen(one, attempt));
    const podOf = (name: string) => ({ kind: 'pod', pod: MODEL[PODS.indexOf(name)]! }) as const;
    const judged = open(
      ({ from, to, ...rest }) => judgeConnection(world, { from: podOf(from), to: podOf(to), ...rest }).allowed,
    );
    expect(judged).toEqual(wanted);

    const groups = new PolicyCompiler().compile(world);
    const gate = new PolicyGate(groups, []);
    const ends = ({ from, to }: Attempt) => ({ from: addressInModel(from), to: addressInModel(to) });
    expect(open((attempt) => gate.permits({ ...attempt, ...ends(attempt) }))).toEqual(wanted);

    const nft = new NftTable();
    nft.send(EMPTY);
    for (const transaction of policyTransactions(groups, EMPTY_TABLE, TABLE).transactions) nft.send(transaction);
    const passes = (attempt: Attempt & { readonly protocol: keyof typeof NUMBERS }): boolean => {
      const { from, to } = ends(attempt);
      const place = { 'meta l4proto': NUMBERS[attempt.protocol], 'th dport': String(attempt.port) };
      const packet = { 'ip saddr': from, 'ip daddr': to, ...place };
      return from === to || (nft.permits('egress', packet) && nft.permits('ingress', packet));
    };
    expect(open(passes)).toEqual(wanted);
  });
});
