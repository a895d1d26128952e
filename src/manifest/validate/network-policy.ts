import {
  type IPBlock,
  type NetworkPolicy,
  type NetworkPolicyPeer,
  type NetworkPolicyPort,
  portNameMessages,
} from '../../api/index.ts';
import type { Decoded } from '../base/decoded.ts';
import { child, type FieldError, forbidden, invalid, notSupported, required } from '../base/field-error.ts';
import { each, wellFormed } from './checks.ts';
import { isStrictlyWithin, readCidr, validateCidr } from './ip.ts';
import { validateLabelSelector } from './labels.ts';
import { validatePortNumber } from './ports.ts';

/** The rules of NetworkPolicies. Source: pkg/apis/networking/validation/validation.go. */

const PROTOCOLS: readonly string[] = ['TCP', 'UDP', 'SCTP'];
const TYPES: readonly string[] = ['Ingress', 'Egress'];

export function validateNetworkPolicy({ spec = {} }: Decoded<NetworkPolicy>): FieldError[] {
  return [
    ...validateLabelSelector('spec.podSelector', spec.podSelector),
    ...each('spec.ingress', spec.ingress, ({ ports, from }, at) => [
      ...each(child(at, 'ports'), ports, validatePort),
      ...each(child(at, 'from'), from, validatePeer),
    ]),
    ...each('spec.egress', spec.egress, ({ ports, to }, at) => [
      ...each(child(at, 'ports'), ports, validatePort),
      ...each(child(at, 'to'), to, validatePeer),
    ]),
    ...validateTypes('spec.policyTypes', spec.policyTypes ?? []),
  ];
}

function validateTypes(path: string, types: readonly string[]): FieldError[] {
  if (types.length > TYPES.length) return [invalid(path, types, 'may not specify more than two policyTypes')];
  return each(path, types, (type, at) => (TYPES.includes(type) ? [] : [notSupported(at, type, TYPES)]));
}

function validatePort({ protocol, port, endPort }: Decoded<NetworkPolicyPort>, path: string): FieldError[] {
  const isKnown = protocol === undefined || PROTOCOLS.includes(protocol);
  return [
    ...(isKnown ? [] : [notSupported(child(path, 'protocol'), protocol, PROTOCOLS)]),
    ...validatePorts(path, port, endPort),
  ];
}

function validatePorts(path: string, port: number | string | undefined, end: number | undefined): FieldError[] {
  const [portPath, endPath] = [child(path, 'port'), child(path, 'endPort')];
  const unwanted = (why: string): FieldError[] => (end === undefined ? [] : [invalid(endPath, end, why)]);
  if (port === undefined) return unwanted('may not be specified when `port` is not specified');
  if (typeof port === 'string') {
    return [
      ...unwanted('may not be specified when `port` is non-numeric'),
      ...wellFormed(portPath, port, portNameMessages),
    ];
  }
  const first = validatePortNumber(portPath, port);
  if (end === undefined) return first;
  const isLower = end < port ? [invalid(endPath, port, 'must be greater than or equal to `port`')] : [];
  return [...first, ...isLower, ...validatePortNumber(endPath, end)];
}

function validatePeer(peer: Decoded<NetworkPolicyPeer>, path: string): FieldError[] {
  const { podSelector, namespaceSelector, ipBlock } = peer;
  const count = [podSelector, namespaceSelector, ipBlock].filter((each) => each !== undefined).length;
  const isMixed = count > 1 && ipBlock !== undefined;
  return [
    ...validateLabelSelector(child(path, 'podSelector'), podSelector),
    ...validateLabelSelector(child(path, 'namespaceSelector'), namespaceSelector),
    ...(ipBlock === undefined ? [] : validateBlock(child(path, 'ipBlock'), ipBlock)),
    ...(count === 0 ? [required(path, 'must specify a peer')] : []),
    ...(isMixed ? [forbidden(path, 'may not specify both ipBlock and another peer')] : []),
  ];
}

/** Exceptions are looked at as long as the block can be read, even if its form is wrong. Source: ValidateIPBlock. */
function validateBlock(path: string, { cidr, except }: Decoded<IPBlock>): FieldError[] {
  const cidrPath = child(path, 'cidr');
  if (!cidr) return [required(cidrPath)];
  const outer = readCidr(cidr);
  const exceptErrors = each(child(path, 'except'), outer === undefined ? [] : except, (text, at) => {
    const inner = readCidr(text);
    const isWrong = inner !== undefined && outer !== undefined && !isStrictlyWithin(inner, outer);
    return [...validateCidr(at, text), ...(isWrong ? [invalid(at, text, 'must be a strict subset of `cidr`')] : [])];
  });
  return [...validateCidr(cidrPath, cidr), ...exceptErrors];
}
