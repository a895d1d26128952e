import * as fc from 'fast-check';
import type { NetworkPolicySpec } from '../../src/api/index.ts';
import type { PolicyPod, PolicyProtocol } from '../../src/controllers/network-policy/policy-pods.ts';
import type { PolicyWorld } from '../../src/controllers/network-policy/rules.ts';

const protocols = ['TCP', 'UDP', 'SCTP'] as const;
export const oneOf = <T>(...values: readonly T[]): fc.Arbitrary<T> => fc.constantFrom(...values);
const few = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T[]> => fc.array(arbitrary, { maxLength: 2 });
const labels = fc.record({ app: oneOf('a', 'b') }, { requiredKeys: [] });
const selector = fc.oneof(
  fc.record({ matchLabels: labels }),
  fc.record({
    matchExpressions: few(fc.record({ key: oneOf('app', 'team'), operator: oneOf('Exists', 'DoesNotExist') })),
  }),
);
const namespace = oneOf('x', 'y');
/** A protocol of connections. */
export const protocol: fc.Arbitrary<PolicyProtocol> = oneOf(...protocols);
const blocks = oneOf(
  { cidr: '10.0.0.0/29' },
  { cidr: '0.0.0.0/0', except: ['10.0.0.2/31', '10.0.0.4/30'] },
  { cidr: '2001:db8::/126', except: ['2001:db8::2/128'] },
  { cidr: '::/0' },
);
const peer = fc.oneof(
  fc.record({ podSelector: selector, namespaceSelector: selector }, { requiredKeys: ['podSelector'] }),
  fc.record({ namespaceSelector: selector }),
  fc.record({ ipBlock: blocks }),
);
const port = fc.oneof(
  fc.record({ protocol, port: oneOf<number | string>(1, 2, 'web', 'alt') }, { requiredKeys: [] }),
  fc.record({ protocol, port: fc.constant(1), endPort: oneOf(1, 3) }),
);
const spec = fc.record(
  {
    podSelector: selector,
    policyTypes: few(oneOf<'Ingress' | 'Egress'>('Ingress', 'Egress')),
    ingress: few(fc.record({ from: few(peer), ports: few(port) }, { requiredKeys: [] })),
    egress: few(fc.record({ to: few(peer), ports: few(port) }, { requiredKeys: [] })),
  },
  { requiredKeys: [] },
) as fc.Arbitrary<NetworkPolicySpec>;
const policies = fc.array(fc.record({ metadata: fc.record({ name: fc.constant('p'), namespace }), spec }), {
  maxLength: 4,
});
const namedPort = fc.record({ name: oneOf('web', 'alt'), protocol, number: oneOf(1, 2, 3) });
const pods = fc
  .array(fc.record({ namespace, labels, ports: few(namedPort), isIpv6: fc.boolean() }), { minLength: 2, maxLength: 5 })
  .map((all) =>
    all.map(({ isIpv6, ...pod }, index): PolicyPod => {
      const addresses = [isIpv6 ? `2001:db8::${index}` : `10.0.0.${index + 2}`];
      return { ...pod, name: `p${index}`, addresses, isOnNode: false };
    }),
  );
const namespaces = fc.constant([{ metadata: { name: 'x', labels: { app: 'a' } } }]);

/** Few Pods with few labels under few policies, so that many of them meet. */
export const policyWorld: fc.Arbitrary<PolicyWorld> = fc.record({ policies, pods, namespaces });
