import type { NetworkPolicyPeer, NetworkPolicyPort, NetworkPolicySpec } from '../../src/api/index.ts';
import type { PolicyProtocol } from '../../src/controllers/network-policy/policy-pods.ts';

/*
 * The model of the end-to-end tests of NetworkPolicies in Kubernetes: three namespaces with three Pods each, which all
 * serve two ports. Each case has policies and a table that says in words which connections they leave.
 */

export const NAMESPACES = ['x', 'y', 'z'] as const;
export const NAMES = ['a', 'b', 'c'] as const;
export const PORTS = [80, 81] as const;
export const PROTOCOLS: readonly PolicyProtocol[] = ['TCP', 'UDP', 'SCTP'];
/** `x/a`, in the order of rows and columns. */
export const PODS: readonly string[] = NAMESPACES.flatMap((namespace) => NAMES.map((name) => `${namespace}/${name}`));

export interface ReachabilityCase {
  readonly title: string;
  /** By namespace. */
  readonly policies: ReadonlyArray<readonly [namespace: string, spec: NetworkPolicySpec]>;
  /**
   * Lines that act one after the other, on a table where everything is open: `- * > x/*` closes all ends of x to all,
   * `+ y/b > x/a 80 TCP` opens a port. A Pod always reaches itself.
   */
  readonly table: readonly string[];
  /** True for a case that is tried with Pods as well. */
  readonly inKernel?: true;
}

export interface Attempt {
  readonly from: string;
  readonly to: string;
  readonly port: number;
  readonly protocol: string;
}

/** True for a connection that the table of a case leaves open. */
export function isOpen({ table }: ReachabilityCase, { from, to, port, protocol }: Attempt): boolean {
  if (from === to) return true;
  return table.reduce((open, line) => {
    const [sign, source = '', , target = '', number = `${port}`, carried = protocol] = line.split(' ');
    const isAbout = covers(source, from) && covers(target, to) && number === `${port}` && carried === protocol;
    return isAbout ? sign === '+' : open;
  }, true);
}

function covers(pattern: string, pod: string): boolean {
  return pattern === '*' || pattern === pod || (pattern.endsWith('/*') && pod.startsWith(pattern.slice(0, -1)));
}

/** The address of a Pod in the tests without a kernel. */
export function addressInModel(pod: string): string {
  const [namespace = '', name = ''] = pod.split('/');
  const [third, last] = [NAMESPACES.indexOf(namespace as 'x'), NAMES.indexOf(name as 'a')];
  return `10.93.${third + 1}.${last + 1}`;
}

const all = { podSelector: {} };
const a = { podSelector: { matchLabels: { pod: 'a' } } };
const pods = (...values: readonly string[]): NetworkPolicyPeer => ({
  podSelector: { matchExpressions: [{ key: 'pod', operator: 'In', values: [...values] }] },
});
const namespaces = (...values: readonly string[]): NetworkPolicyPeer => ({
  namespaceSelector: { matchExpressions: [{ key: 'ns', operator: 'In', values: [...values] }] },
});
const block = (cidr: string, ...except: readonly string[]): NetworkPolicyPeer => ({
  ipBlock: { cidr, ...(except.length === 0 ? {} : { except: [...except] }) },
});
const from = (...peers: readonly NetworkPolicyPeer[]): Pick<NetworkPolicySpec, 'ingress'> => ({
  ingress: [{ from: [...peers] }],
});
const to = (...peers: readonly NetworkPolicyPeer[]): NetworkPolicySpec => ({
  ...a,
  policyTypes: ['Egress'],
  egress: [{ to: [...peers] }],
});
const at = (...ports: readonly NetworkPolicyPort[]): NetworkPolicySpec => ({ ...a, ingress: [{ ports: [...ports] }] });
const toX = (spec: NetworkPolicySpec): ReachabilityCase['policies'] => [['x', spec]];
const CLOSED = '- * > x/a';
const SILENT = '- x/a > *';

export const REACHABILITY: readonly ReachabilityCase[] = [
  { title: 'no policy', policies: [], table: [], inKernel: true },
  { title: 'ingress of a namespace is closed', policies: toX(all), table: ['- * > x/*'] },
  {
    title: 'egress of a namespace is closed',
    policies: toX({ ...all, policyTypes: ['Egress'] }),
    table: ['- x/* > *'],
  },
  {
    title: 'a namespace is closed in both directions',
    policies: toX({ ...all, policyTypes: ['Ingress', 'Egress'] }),
    table: ['- * > x/*', '- x/* > *'],
    inKernel: true,
  },
  { title: 'an empty list of egress without types', policies: toX({ ...all, egress: [] }), table: ['- * > x/*'] },
  {
    title: 'a rule of egress without types closes ingress, too',
    policies: toX({ ...all, egress: [{}] }),
    table: ['- * > x/*'],
  },
  {
    title: 'a rule of the other direction',
    policies: toX({ ...a, policyTypes: ['Ingress'], egress: [{}] }),
    table: [CLOSED],
  },
  { title: 'all ingress is allowed', policies: toX({ ...all, ingress: [{}] }), table: [] },
  {
    title: 'all is allowed beside all is closed',
    policies: [...toX(all), ...toX({ ...all, ingress: [{}] })],
    table: [],
  },
  { title: 'Pods of the own namespace', policies: toX({ ...a, ...from(pods('b')) }), table: [CLOSED, '+ x/b > x/a'] },
  { title: 'all Pods of the own namespace', policies: toX({ ...a, ...from(all) }), table: [CLOSED, '+ x/* > x/a'] },
  { title: 'a namespace', policies: toX({ ...a, ...from(namespaces('y')) }), table: [CLOSED, '+ y/* > x/a'] },
  { title: 'all namespaces', policies: toX({ ...a, ...from({ namespaceSelector: {} }) }), table: [] },
  {
    title: 'the label that each namespace has',
    policies: toX({ ...a, ...from({ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'z' } } }) }),
    table: [CLOSED, '+ z/* > x/a'],
  },
  {
    title: 'all namespaces but one',
    policies: toX({
      ...a,
      ...from({ namespaceSelector: { matchExpressions: [{ key: 'ns', operator: 'NotIn', values: ['x'] }] } }),
    }),
    table: [CLOSED, '+ y/* > x/a', '+ z/* > x/a'],
  },
  {
    title: 'Pods of certain namespaces: both selectors of a peer count',
    policies: toX({ ...a, ...from({ ...namespaces('y', 'z'), ...pods('b', 'c') }) }),
    table: [CLOSED, '+ y/b > x/a', '+ y/c > x/a', '+ z/b > x/a', '+ z/c > x/a'],
    inKernel: true,
  },
  {
    title: 'a namespace, or Pods of the own one: either peer counts',
    policies: toX({ ...a, ...from(namespaces('y'), pods('b')) }),
    table: [CLOSED, '+ y/* > x/a', '+ x/b > x/a'],
  },
  {
    title: 'a label that no Pod has',
    policies: toX({ podSelector: { matchExpressions: [{ key: 'team', operator: 'Exists' }] } }),
    table: [],
  },
  {
    title: 'a label that every Pod lacks',
    policies: toX({ podSelector: { matchExpressions: [{ key: 'team', operator: 'DoesNotExist' }] } }),
    table: ['- * > x/*'],
  },
  { title: 'a port', policies: toX(at({ port: 80 })), table: [CLOSED, '+ * > x/a 80 TCP'] },
  { title: 'a port by name', policies: toX(at({ port: 'serve-81-tcp' })), table: [CLOSED, '+ * > x/a 81 TCP'] },
  {
    title: 'the name of a port of another protocol',
    policies: toX(at({ port: 'serve-81-tcp', protocol: 'UDP' })),
    table: [CLOSED],
  },
  { title: 'a port of UDP', policies: toX(at({ port: 80, protocol: 'UDP' })), table: [CLOSED, '+ * > x/a 80 UDP'] },
  { title: 'a port of SCTP', policies: toX(at({ port: 81, protocol: 'SCTP' })), table: [CLOSED, '+ * > x/a 81 SCTP'] },
  {
    title: 'all ports of a protocol',
    policies: toX(at({ protocol: 'UDP' })),
    table: [CLOSED, '+ * > x/a 80 UDP', '+ * > x/a 81 UDP'],
  },
  {
    title: 'ports of two protocols',
    policies: toX(at({ port: 80 }, { port: 81, protocol: 'UDP' })),
    table: [CLOSED, '+ * > x/a 80 TCP', '+ * > x/a 81 UDP'],
    inKernel: true,
  },
  {
    title: 'a range of ports',
    policies: toX(at({ port: 80, endPort: 81 })),
    table: [CLOSED, '+ * > x/a 80 TCP', '+ * > x/a 81 TCP'],
  },
  {
    title: 'a range that ends before a port',
    policies: toX(at({ port: 1, endPort: 80 })),
    table: [CLOSED, '+ * > x/a 80 TCP'],
  },
  {
    title: 'peers and ports of one rule: both count',
    policies: toX({ ...a, ingress: [{ from: [namespaces('y')], ports: [{ port: 81 }] }] }),
    table: [CLOSED, '+ y/* > x/a 81 TCP'],
  },
  {
    title: 'peers and ports of two rules: either counts',
    policies: toX({ ...a, ingress: [{ from: [namespaces('y')] }, { ports: [{ port: 81 }] }] }),
    table: [CLOSED, '+ y/* > x/a', '+ * > x/a 81 TCP'],
  },
  {
    title: 'two policies add up',
    policies: [
      ...toX({ ...a, ingress: [{ from: [namespaces('y')], ports: [{ port: 80 }] }] }),
      ...toX({ ...a, ingress: [{ from: [pods('c')], ports: [{ port: 81 }] }] }),
    ],
    table: [CLOSED, '+ y/* > x/a 80 TCP', '+ x/c > x/a 81 TCP'],
    inKernel: true,
  },
  { title: 'egress to a namespace', policies: toX(to(namespaces('y'))), table: [SILENT, '+ x/a > y/*'] },
  {
    title: 'egress to a port',
    policies: toX({ ...a, policyTypes: ['Egress'], egress: [{ ports: [{ port: 80 }] }] }),
    table: [SILENT, '+ x/a > * 80 TCP'],
  },
  {
    title: 'egress to the name of a port',
    policies: toX({
      ...a,
      policyTypes: ['Egress'],
      egress: [{ to: [namespaces('z')], ports: [{ port: 'serve-80-udp', protocol: 'UDP' }] }],
    }),
    table: [SILENT, '+ x/a > z/* 80 UDP'],
  },
  { title: 'egress to the address of a Pod', policies: toX(to(block('10.93.2.2/32'))), table: [SILENT, '+ x/a > y/b'] },
  {
    title: 'egress to a block with an exception',
    policies: toX(to(block('10.93.2.0/24', '10.93.2.2/32'))),
    table: [SILENT, '+ x/a > y/a', '+ x/a > y/c'],
  },
  {
    title: 'an exception that another peer allows',
    policies: toX(to(block('10.93.2.0/24', '10.93.2.2/31'), block('10.93.2.2/32'))),
    table: [SILENT, '+ x/a > y/a', '+ x/a > y/b'],
  },
  { title: 'a block of IPv6', policies: toX(to(block('::/0'))), table: [SILENT] },
  {
    title: 'both ends must allow: the server does not',
    policies: [...toX(to(namespaces('y'))), ['y', { podSelector: { matchLabels: { pod: 'b' } } }]],
    table: [SILENT, '+ x/a > y/*', '- * > y/b'],
  },
  {
    title: 'both ends allow',
    policies: [
      ...toX(to({ ...namespaces('y'), ...pods('b') })),
      ['y', { podSelector: { matchLabels: { pod: 'b' } }, ...from({ ...namespaces('x'), ...pods('a') }) }],
    ],
    table: [SILENT, '- * > y/b', '+ x/a > y/b'],
    inKernel: true,
  },
  {
    title: 'a policy acts in its own namespace alone',
    policies: [['y', { ...a, ...from(all) }]],
    table: ['- * > y/a', '+ y/* > y/a'],
  },
];
