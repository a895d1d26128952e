import {
  DEFAULT_NAMESPACE,
  type NetworkPolicyPeer,
  type NetworkPolicyPort,
  type NetworkPolicySpec,
  type ObjectMeta,
} from '../../api/index.ts';
import type { NamedPort, PolicyPod, PolicyProtocol } from './policy-pods.ts';

/** Connections to a Pod, or from it. Each is judged apart. */
export type PolicyDirection = 'ingress' | 'egress';

/** A NetworkPolicy, with or without its defaults. */
export interface PolicyObject {
  readonly metadata: ObjectMeta;
  readonly spec?: NetworkPolicySpec | undefined;
}

/** A Namespace. One without an object has the label of its name all the same. */
export interface PolicyNamespace {
  readonly metadata: ObjectMeta;
}

/** All that decides about connections. */
export interface PolicyWorld {
  readonly policies: readonly PolicyObject[];
  readonly pods: readonly PolicyPod[];
  readonly namespaces: readonly PolicyNamespace[];
}

/** A rule of either direction. No peers: any end; no ports: any port of any protocol. */
export interface DirectedRule {
  readonly peers: readonly NetworkPolicyPeer[];
  readonly ports: readonly NetworkPolicyPort[];
}

/** The numbers from the first to the last, both included. */
export interface PortRange {
  readonly first: number;
  readonly last: number;
}

const ALL_PORTS: PortRange = { first: 0, last: 65_535 };
const NAME_LABEL = 'kubernetes.io/metadata.name';

export function namespaceOf({ metadata }: PolicyObject): string {
  return metadata.namespace ?? DEFAULT_NAMESPACE;
}

/** True when the policy isolates the Pods that it selects. Source: pkg/apis/networking/v1/defaults.go. */
export function isolates({ spec = {} }: PolicyObject, direction: PolicyDirection): boolean {
  const { policyTypes = [], egress = [] } = spec;
  if (policyTypes.length > 0) return policyTypes.includes(direction === 'ingress' ? 'Ingress' : 'Egress');
  return direction === 'ingress' || egress.length > 0;
}

/** The rules of a direction, in the order of the object. */
export function policyRules({ spec = {} }: PolicyObject, direction: PolicyDirection): DirectedRule[] {
  if (direction === 'ingress')
    return (spec.ingress ?? []).map(({ from, ports }) => ({ peers: from ?? [], ports: ports ?? [] }));
  return (spec.egress ?? []).map(({ to, ports }) => ({ peers: to ?? [], ports: ports ?? [] }));
}

export function protocolOf({ protocol = 'TCP' }: NetworkPolicyPort): PolicyProtocol {
  return protocol as PolicyProtocol;
}

/**
 * The numbers that a port of a rule stands for at a destination.
 * @param ports the named ports of the destination
 */
export function portNumbers(rule: NetworkPolicyPort, ports: readonly NamedPort[]): PortRange[] {
  const { port, endPort } = rule;
  if (port === undefined) return [ALL_PORTS];
  if (typeof port === 'number') return [{ first: port, last: endPort ?? port }];
  const named = ports.filter(({ name, protocol }) => name === port && protocol === protocolOf(rule));
  return named.map(({ number }) => ({ first: number, last: number }));
}

/** Returns the labels of a namespace: its object's, and its name. */
export function namespaceLabels(namespaces: readonly PolicyNamespace[]): (name: string) => Record<string, string> {
  const labels = new Map(namespaces.map(({ metadata }) => [metadata.name, metadata.labels]));
  return (name) => ({ [NAME_LABEL]: name, ...labels.get(name) });
}
