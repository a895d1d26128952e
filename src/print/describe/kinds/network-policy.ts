import {
  type NetworkPolicy,
  type NetworkPolicyPeer,
  type NetworkPolicyPort,
  selectorText,
  type StoredKubeObject,
} from '../../../api/index.ts';
import { goTimeText } from '../../base/local-time.ts';
import { describeAnnotations, describeLabels, line } from '../lines.ts';

/** The rules of one direction. */
interface Direction {
  readonly name: 'ingress' | 'egress';
  readonly peer: 'From' | 'To';
  readonly side: 'source' | 'destination';
}

const INGRESS: Direction = { name: 'ingress', peer: 'From', side: 'source' };
const EGRESS: Direction = { name: 'egress', peer: 'To', side: 'destination' };

interface Rule {
  readonly ports: readonly NetworkPolicyPort[];
  readonly peers: readonly NetworkPolicyPeer[];
}

/** The lines of `describe` about a NetworkPolicy. Source: describe.go, describeNetworkPolicySpec. */
export function describeNetworkPolicy({ metadata, spec = {} }: StoredKubeObject & NetworkPolicy): string[] {
  const { podSelector = {}, ingress = [], egress = [], policyTypes = [] } = spec;
  const selected = selectorText(podSelector);
  const all = '<none> (Allowing the specific traffic to all pods in this namespace)';
  const inward = ingress.map(({ ports = [], from = [] }) => ({ ports, peers: from }));
  const outward = egress.map(({ ports = [], to = [] }) => ({ ports, peers: to }));
  return [
    line(0, 'Name:', metadata.name),
    line(0, 'Namespace:', metadata.namespace),
    line(0, 'Created on:', goTimeText(metadata.creationTimestamp)),
    ...describeLabels('Labels', metadata.labels),
    ...describeAnnotations(metadata.annotations),
    line(0, 'Spec:'),
    // kubectl indents both halves of this line.
    `  PodSelector:     ${selected === '<none>' ? all : selected}`,
    ...directionLines(INGRESS, inward, policyTypes.includes('Ingress')),
    ...directionLines(EGRESS, outward, policyTypes.includes('Egress')),
    `  Policy Types: ${policyTypes.join(', ') || '<none>'}`,
  ];
}

function directionLines(direction: Direction, rules: readonly Rule[], isAffected: boolean): string[] {
  const { name } = direction;
  if (!isAffected) return [`  Not affecting ${name} traffic`];
  const none = `    <none> (Selected pods are isolated for ${name} connectivity)`;
  const lines = rules.flatMap((rule, index) => [
    ...(index > 0 ? ['    ----------'] : []),
    ...ruleLines(direction, rule),
  ]);
  return [`  Allowing ${name} traffic:`, ...(rules.length === 0 ? [none] : lines)];
}

function ruleLines({ peer, side }: Direction, { ports, peers }: Rule): string[] {
  return [
    ...(ports.length === 0 ? ['    To Port: <any> (traffic allowed to all ports)'] : ports.map(portLine)),
    ...(peers.length === 0
      ? [`    ${peer}: <any> (traffic not restricted by ${side})`]
      : peers.flatMap((each) => [`    ${peer}:`, ...peerLines(each)])),
  ];
}

function portLine({ port = '<nil>', endPort, protocol = 'TCP' }: NetworkPolicyPort): string {
  return endPort === undefined
    ? `    To Port: ${port}/${protocol}`
    : `    To Port Range: ${port}-${endPort}/${protocol}`;
}

function peerLines({ namespaceSelector, podSelector, ipBlock }: NetworkPolicyPeer): string[] {
  const namespaces = namespaceSelector && `      NamespaceSelector: ${selectorText(namespaceSelector)}`;
  const pods = podSelector && `      PodSelector: ${selectorText(podSelector)}`;
  const selectors = [namespaces, pods].filter((text) => text !== undefined);
  if (selectors.length > 0 || ipBlock === undefined) return selectors;
  const { cidr, except = [] } = ipBlock;
  return ['      IPBlock:', `        CIDR: ${cidr}`, `        Except: ${except.join(', ')}`];
}
