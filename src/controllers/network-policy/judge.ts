import { matchesSelector, type NetworkPolicyPeer } from '../../api/index.ts';
import type { PolicyPod, PolicyProtocol } from './policy-pods.ts';
import { hasPlace, addressPlace, placesOfBlock } from './ranges.ts';
import {
  isolates,
  namespaceLabels,
  namespaceOf,
  type PolicyDirection,
  type PolicyObject,
  policyRules,
  type DirectedRule,
  type PolicyWorld,
  portNumbers,
  protocolOf,
} from './rules.ts';

/** An end of a connection: a Pod, the node, or an address outside. */
export type PolicyEnd =
  | { readonly kind: 'pod'; readonly pod: PolicyPod }
  | { readonly kind: 'node' }
  | { readonly kind: 'address'; readonly address: string };

/** A connection, after the translation of a Service's address. */
export interface PolicyConnection {
  readonly from: PolicyEnd;
  readonly to: PolicyEnd;
  readonly protocol: PolicyProtocol;
  readonly port: number;
}

/** Why a rule matches a connection or not. */
export interface RuleVerdict {
  readonly matches: boolean;
  /** The number of the peer that matches, from 0. Undefined: none does. */
  readonly peer: number | 'any' | undefined;
  /** The number of the port that matches, from 0. Undefined: none does. */
  readonly port: number | 'any' | undefined;
}

/** A policy that isolates an end. It allows the connection when one of its rules matches. */
export interface IsolationVerdict {
  readonly policy: PolicyObject;
  readonly allows: boolean;
  readonly rules: readonly RuleVerdict[];
}

/** The verdict at one end that is a Pod. Without an isolating policy, it allows everything. */
export interface SideVerdict {
  readonly direction: PolicyDirection;
  readonly pod: PolicyPod;
  readonly allows: boolean;
  readonly policies: readonly IsolationVerdict[];
}

export interface ConnectionVerdict {
  readonly allowed: boolean;
  /** Connections with the node, and of a Pod with itself, are permitted whatever policies say. */
  readonly exempt: 'node' | 'itself' | undefined;
  /** The side of the client, then the server's. An end that is no Pod has none. */
  readonly sides: readonly SideVerdict[];
}

/** Judges one connection, policy by policy and rule by rule. */
export function judgeConnection(world: PolicyWorld, connection: PolicyConnection): ConnectionVerdict {
  const { from, to } = connection;
  if (isNode(from) || isNode(to)) return { allowed: true, exempt: 'node', sides: [] };
  if (from.kind === 'pod' && to.kind === 'pod' && isSamePod(from.pod, to.pod))
    return { allowed: true, exempt: 'itself', sides: [] };
  const sides = [
    ...(from.kind === 'pod' ? [sideVerdict(world, 'egress', from.pod, connection)] : []),
    ...(to.kind === 'pod' ? [sideVerdict(world, 'ingress', to.pod, connection)] : []),
  ];
  return { allowed: sides.every(({ allows }) => allows), exempt: undefined, sides };
}

/** The end with an address: the node, a Pod with it, or an address outside. */
export function endAt(address: string, pods: readonly PolicyPod[], nodes: readonly string[]): PolicyEnd {
  const place = addressPlace(address);
  const isHere = (each: string): boolean => addressPlace(each) === place;
  if (nodes.some(isHere)) return { kind: 'node' };
  const pod = pods.find(({ addresses, isOnNode }) => !isOnNode && addresses.some(isHere));
  return pod === undefined ? { kind: 'address', address } : { kind: 'pod', pod };
}

function isNode(end: PolicyEnd): boolean {
  return end.kind === 'node' || (end.kind === 'pod' && end.pod.isOnNode);
}

function isSamePod(one: PolicyPod, other: PolicyPod): boolean {
  return one.namespace === other.namespace && one.name === other.name;
}

function sideVerdict(
  world: PolicyWorld,
  direction: PolicyDirection,
  pod: PolicyPod,
  connection: PolicyConnection,
): SideVerdict {
  const isolating = world.policies.filter(
    (policy) =>
      isolates(policy, direction) &&
      namespaceOf(policy) === pod.namespace &&
      matchesSelector(policy.spec?.podSelector ?? {}, pod.labels),
  );
  const policies = isolating.map((policy): IsolationVerdict => {
    const rules = policyRules(policy, direction).map((rule) => {
      const matchesPeer = (peer: NetworkPolicyPeer): boolean =>
        isPeer(peer, { end: direction === 'ingress' ? connection.from : connection.to, policy, world, connection });
      return ruleVerdict(rule, matchesPeer, connection);
    });
    return { policy, allows: rules.some(({ matches }) => matches), rules };
  });
  return { direction, pod, allows: policies.length === 0 || policies.some(({ allows }) => allows), policies };
}

function ruleVerdict(
  { peers, ports }: DirectedRule,
  matchesPeer: (peer: NetworkPolicyPeer) => boolean,
  { protocol, port, to }: PolicyConnection,
): RuleVerdict {
  const names = to.kind === 'pod' ? to.pod.ports : [];
  const peer = peers.length === 0 ? 'any' : indexIn(peers, matchesPeer);
  const own = indexIn(
    ports,
    (each) =>
      protocolOf(each) === protocol &&
      portNumbers(each, names).some(({ first, last }) => first <= port && port <= last),
  );
  const portIndex = ports.length === 0 ? 'any' : own;
  return { matches: peer !== undefined && portIndex !== undefined, peer, port: portIndex };
}

function indexIn<T>(items: readonly T[], matches: (item: T) => boolean): number | undefined {
  const index = items.findIndex(matches);
  return index === -1 ? undefined : index;
}

interface PeerQuestion {
  readonly end: PolicyEnd;
  readonly policy: PolicyObject;
  readonly world: PolicyWorld;
  readonly connection: PolicyConnection;
}

function isPeer(
  { podSelector, namespaceSelector, ipBlock }: NetworkPolicyPeer,
  { end, policy, world, connection }: PeerQuestion,
): boolean {
  if (ipBlock !== undefined) {
    const places = placesOfBlock(ipBlock);
    return addressesOf(end, connection).some((address) => hasPlace(places, addressPlace(address)));
  }
  if (end.kind !== 'pod') return false;
  const { namespace, labels } = end.pod;
  if (podSelector !== undefined && !matchesSelector(podSelector, labels)) return false;
  if (namespaceSelector !== undefined)
    return matchesSelector(namespaceSelector, namespaceLabels(world.namespaces)(namespace));
  return podSelector !== undefined && namespace === namespaceOf(policy);
}

/** The addresses of an end that the connection may have: of a family that both ends have. */
function addressesOf(end: PolicyEnd, { from, to }: PolicyConnection): readonly string[] {
  const other = ownAddresses(end === from ? to : from);
  const own = ownAddresses(end);
  const common = own.filter((address) => other.some((each) => isIpv6(each) === isIpv6(address)));
  return other.length === 0 ? own : common;
}

function ownAddresses(end: PolicyEnd): readonly string[] {
  if (end.kind === 'address') return [end.address];
  return end.kind === 'pod' ? end.pod.addresses : [];
}

function isIpv6(address: string): boolean {
  return address.includes(':');
}
