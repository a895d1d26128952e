import { type Permissions, PolicyPermissions, united } from './permissions.ts';
import { PodIndex } from './pod-index.ts';
import type { PolicyPod, PolicyProtocol } from './policy-pods.ts';
import { type PolicyRange, policyRanges } from './ranges.ts';
import {
  isolates,
  namespaceOf,
  type PolicyDirection,
  type PolicyObject,
  type PolicyWorld,
  type PortRange,
} from './rules.ts';

/**
 * Pods that are isolated in one direction, and the connections that all of their policies together permit. Plain data:
 * rules of the kernel and podrun's proxy are made of it. An end that is in no group permits everything on its side.
 * Connections with the node, and of a Pod with itself, are always permitted, and in no group.
 */
export interface PolicyGroup {
  readonly direction: PolicyDirection;
  /** The addresses of the Pods. */
  readonly members: readonly string[];
  /** The other ends that may use any port of any protocol, in order and without overlaps. */
  readonly anyPort: readonly PolicyRange[];
  /** Further permissions, by protocol and in the order of ports. No two have a port in common. */
  readonly allowances: readonly PolicyAllowance[];
}

/** Ports of a protocol at the destination, and the other ends that may use them, in order and without overlaps. */
export interface PolicyAllowance {
  readonly protocol: PolicyProtocol;
  readonly ports: PortRange;
  readonly peers: readonly PolicyRange[];
}

/**
 * The groups of all isolated Pods. What any policy permits is permitted: policies have no order. A Pod without an
 * address is in no group, and no peer.
 */
export function compilePolicies(world: PolicyWorld): PolicyGroup[] {
  const index = new PodIndex(world);
  const directions: readonly PolicyDirection[] = ['ingress', 'egress'];
  return directions.flatMap((direction) => groupsOf(direction, world.policies, index));
}

function groupsOf(direction: PolicyDirection, policies: readonly PolicyObject[], index: PodIndex): PolicyGroup[] {
  const isolating = policies.filter((policy) => isolates(policy, direction));
  const permissions = isolating.map((policy) => new PolicyPermissions(policy, direction, index));
  const policiesOf = new Map<PolicyPod, number[]>();
  for (const [number, policy] of isolating.entries()) {
    const selected = index.select(namespaceOf(policy), policy.spec?.podSelector ?? {});
    for (const pod of selected) if (pod.addresses.length > 0) addTo(policiesOf, pod, number);
  }
  const alike = new Map<string, { readonly content: Permissions; readonly members: string[] }>();
  for (const [pod, numbers] of policiesOf) {
    const dependOnPod = numbers.some((number) => permissions[number]?.dependOnPod);
    const key = `${numbers.join()} ${dependOnPod ? JSON.stringify(pod.ports) : ''}`;
    const known = alike.get(key);
    if (known === undefined) {
      const own = numbers.flatMap((number) => permissions[number]?.of(pod.ports) ?? []);
      alike.set(key, { content: united(own), members: [...pod.addresses] });
    } else known.members.push(...pod.addresses);
  }
  return [...alike.values()].map(({ content, members }) => ({
    direction,
    members,
    anyPort: policyRanges(content.anyPort),
    allowances: content.byPort.map((each) => ({ ...each, peers: policyRanges(each.peers) })),
  }));
}

function addTo<Key, Value>(map: Map<Key, Value[]>, key: Key, value: Value): void {
  const values = map.get(key);
  if (values === undefined) map.set(key, [value]);
  else values.push(value);
}
