import { type NetworkPolicyPeer, type NetworkPolicyPort, selectorText } from '../api/index.ts';
import {
  type ConnectionVerdict,
  type DirectedRule,
  type IsolationVerdict,
  type PolicyDirection,
  type PolicyObject,
  policyRules,
  type PolicyProtocol,
  type RuleVerdict,
  type SideVerdict,
} from '../controllers/index.ts';
import { formatJson } from './formats/base/json.ts';

/** A connection with its verdict, and texts about what it is between. */
export interface JudgedConnection {
  /** The ends: `default/web`, `the node`, `203.0.113.9`. */
  readonly from: string;
  readonly to: string;
  readonly protocol: PolicyProtocol;
  readonly port: number;
  readonly verdict: ConnectionVerdict;
}

/** Returns the place of a policy in a manifest: `shop.yaml:12`. Undefined: it comes from the store. */
export type PolicyPlace = (policy: PolicyObject) => string | undefined;

const WHY_EXEMPT = {
  node: 'connections with the node are permitted whatever policies say',
  itself: 'a Pod reaches itself whatever policies say',
} as const;

/** The verdict about a connection: for each side every policy that isolates it, and why each rule matches or not. */
export function renderNetworkVerdict(judged: JudgedConnection, placeOf: PolicyPlace): string {
  const { verdict } = judged;
  const heading = `${judged.from} to ${connectionText(judged)}: ${outcome(verdict.allowed)}`;
  const { exempt } = verdict;
  const lines =
    exempt === undefined
      ? verdict.sides.flatMap((side) => sideLines(side, judged, placeOf))
      : [`  ${WHY_EXEMPT[exempt]}`];
  return [heading, ...lines, ''].join('\n');
}

function connectionText({ to, port, protocol }: JudgedConnection): string {
  return `${to.includes(':') ? `[${to}]` : to}:${port}/${protocol}`;
}

function outcome(isAllowed: boolean): string {
  return isAllowed ? 'permitted' : 'denied';
}

function sideLines(side: SideVerdict, judged: JudgedConnection, placeOf: PolicyPlace): string[] {
  const { direction, policies, allows } = side;
  const name = direction === 'egress' ? judged.from : judged.to;
  if (policies.length === 0) return [`  ${direction} of ${name}: permitted, since no policy isolates it`];
  return [
    `  ${direction} of ${name}: ${outcome(allows)}`,
    ...policies.flatMap((policy) => policyLines(policy, side, placeOf)),
  ];
}

function policyLines(
  { policy, allows, rules }: IsolationVerdict,
  { direction }: SideVerdict,
  placeOf: PolicyPlace,
): string[] {
  const place = placeOf(policy);
  const name = `NetworkPolicy ${nameOf(policy)}${place === undefined ? '' : ` (${place})`}`;
  if (rules.length === 0) return [`    ${name} isolates it, and has no ${direction} rule`];
  const written = policyRules(policy, direction);
  return [
    `    ${name} ${allows ? 'permits it' : 'isolates it, and no rule matches'}`,
    ...rules.flatMap((rule, index) => {
      const own = written[index];
      return own === undefined ? [] : [`      ${direction}[${index}]: ${ruleText(own, rule, direction)}`];
    }),
  ];
}

function nameOf({ metadata }: PolicyObject): string {
  return `${metadata.namespace ?? 'default'}/${metadata.name ?? ''}`;
}

function ruleText({ peers, ports }: DirectedRule, { peer, port, matches }: RuleVerdict, at: PolicyDirection): string {
  const side = at === 'ingress' ? 'from' : 'to';
  const ofPeers = partText(side, peer, peers.map(peerText));
  const ofPorts = partText('ports', port, ports.map(portText));
  return `${matches ? 'matches' : 'does not match'}: ${ofPeers}; ${ofPorts}`;
}

/** The list of a rule: which item matches, or all that do not. */
function partText(list: string, match: RuleVerdict['peer'], items: readonly string[]): string {
  if (match === 'any') return `any ${list}`;
  if (match === undefined) return `not ${list} ${items.join(', ')}`;
  return `${list}[${match}] ${items[match] ?? ''}`;
}

function peerText({ podSelector, namespaceSelector, ipBlock }: NetworkPolicyPeer): string {
  if (ipBlock !== undefined) {
    const { cidr, except = [] } = ipBlock;
    return except.length === 0 ? cidr : `${cidr} except ${except.join(' and ')}`;
  }
  const pods = podSelector && selectedText('Pods', podSelector);
  const namespaces = namespaceSelector && selectedText('namespaces', namespaceSelector);
  if (namespaces === undefined) return pods ?? '';
  return `${pods ?? 'all Pods'} in ${namespaces}`;
}

function selectedText(what: string, selector: NonNullable<NetworkPolicyPeer['podSelector']>): string {
  const text = selectorText(selector);
  return text === '<none>' ? `all ${what}` : `${what} with ${text}`;
}

function portText({ port, endPort, protocol = 'TCP' }: NetworkPolicyPort): string {
  if (port === undefined) return `any/${protocol}`;
  return `${port}${endPort === undefined ? '' : `-${endPort}`}/${protocol}`;
}

/** The same as JSON: one element for each connection. */
export function renderNetworkVerdictsJson(judged: readonly JudgedConnection[], placeOf: PolicyPlace): string {
  const records = judged.map(({ verdict, ...connection }) => ({
    ...connection,
    allowed: verdict.allowed,
    ...(verdict.exempt === undefined ? {} : { exempt: verdict.exempt }),
    sides: verdict.sides.map(({ direction, allows, policies }) => ({
      direction,
      pod: direction === 'egress' ? connection.from : connection.to,
      isolated: policies.length > 0,
      allowed: allows,
      policies: policies.map(({ policy, allows: isAllowed, rules }) => {
        const place = placeOf(policy);
        return { policy: nameOf(policy), ...(place === undefined ? {} : { place }), allowed: isAllowed, rules };
      }),
    })),
  }));
  return `${formatJson(records, '\n')}\n`;
}
