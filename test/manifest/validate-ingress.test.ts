import { describe, expect, it } from 'vitest';
import { linesOf, object } from './objects.ts';

const backend = { service: { name: 'web', port: { number: 80 } } };
const rule = (fields: object, host?: string): object => ({
  spec: { rules: [{ ...(host === undefined ? {} : { host }), http: { paths: [fields] } }] },
});
const path = (fields: object): object => rule({ path: '/', pathType: 'Prefix', backend, ...fields });

const AT = 'spec.rules[0].http.paths[0]';
const SUBDOMAIN =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and " +
  "end with an alphanumeric character (e.g. 'example.com', regex used for validation is " +
  "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const WILDCARD =
  "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of " +
  "lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character (e.g. '*.example.com', " +
  "regex used for validation is '\\*\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

describe('Ingresses', () => {
  it.each<[name: string, fields: object, want: string[]]>([
    ['a rule', path({}), []],
    ['a default backend', { spec: { defaultBackend: backend } }, []],
    ['a wildcard', rule({ path: '/', pathType: 'Exact', backend }, '*.example.com'), []],
    ['nothing', {}, ['spec: Invalid value: null: either `defaultBackend` or `rules` must be specified']],
    ['no type', path({ pathType: undefined }), [`${AT}.pathType: Required value: pathType must be specified`]],
    [
      'a wrong type',
      path({ pathType: 'Regex' }),
      [`${AT}.pathType: Unsupported value: "Regex": supported values: "Exact", "ImplementationSpecific", "Prefix"`],
    ],
    ['a relative path', path({ path: 'x' }), [`${AT}.path: Invalid value: "x": must be an absolute path`]],
    ['no path', path({ path: undefined }), [`${AT}.path: Invalid value: "": must be an absolute path`]],
    ['no path of a class', path({ path: undefined, pathType: 'ImplementationSpecific' }), []],
    [
      'bad sequences',
      path({ path: '/a//b/./%2f/..' }),
      [
        `${AT}.path: Invalid value: "/a//b/./%2f/..": must not contain '//'`,
        `${AT}.path: Invalid value: "/a//b/./%2f/..": must not contain '/./'`,
        `${AT}.path: Invalid value: "/a//b/./%2f/..": must not contain '%2f'`,
        `${AT}.path: Invalid value: "/a//b/./%2f/..": cannot end with '/..'`,
      ],
    ],
    [
      'no backend',
      path({ backend: {} }),
      [`${AT}.backend: Invalid value: "": resource or service backend is required`],
    ],
    [
      'no port',
      path({ backend: { service: { name: 'web' } } }),
      [`${AT}.backend: Required value: port name or number is required`],
    ],
    [
      'two ports',
      path({ backend: { service: { name: 'web', port: { name: 'http', number: 80 } } } }),
      [`${AT}.backend: Invalid value: "": cannot set both port name & port number`],
    ],
    [
      'two backends',
      path({ backend: { ...backend, resource: { kind: 'Bucket', name: 'x' } } }),
      [`${AT}.backend: Invalid value: "": cannot set both resource and service backends`],
    ],
    [
      'a resource without a name',
      path({ backend: { resource: { kind: 'Bucket', name: '' } } }),
      [`${AT}.backend.resource.name: Required value`],
    ],
    [
      'an address',
      rule({ path: '/', pathType: 'Prefix', backend }, '10.0.0.1'),
      ['spec.rules[0].host: Invalid value: "10.0.0.1": must be a DNS name, not an IP address'],
    ],
    [
      'capitals',
      rule({ path: '/', pathType: 'Prefix', backend }, 'Web'),
      [`spec.rules[0].host: Invalid value: "Web": ${SUBDOMAIN}`],
    ],
    [
      'a wildcard in the middle',
      rule({ path: '/', pathType: 'Prefix', backend }, 'a.*.b'),
      [`spec.rules[0].host: Invalid value: "a.*.b": ${WILDCARD}`],
    ],
    ['no paths', { spec: { rules: [{ http: { paths: [] } }] } }, ['spec.rules[0].http.paths: Required value']],
    [
      'a TLS host',
      { spec: { defaultBackend: backend, tls: [{ hosts: ['A'], secretName: 'x' }] } },
      [`spec.tls[0].hosts[0]: Invalid value: "A": ${SUBDOMAIN}`],
    ],
  ])('%s', (_name, fields, want) => {
    expect(linesOf(object('Ingress', fields as Record<string, unknown>))).toEqual(want);
  });

  it('name one class', () => {
    const fields = { spec: { defaultBackend: backend, ingressClassName: 'b' } };
    const rule = 'must match `ingressClassName` when both are specified';
    const line = `annotations.kubernetes.io/ingress.class: Invalid value: "a": ${rule}`;
    expect(linesOf(object('Ingress', fields, { annotations: { 'kubernetes.io/ingress.class': 'a' } }))).toEqual([line]);
  });
});

describe('IngressClasses', () => {
  const parameters = { kind: 'P', name: 'x' };
  it.each<[spec: object, want: string[]]>([
    [{ controller: 'example.com/c' }, []],
    [{ controller: 'example.com/c', parameters }, []],
    [{}, ['spec.controller: Required value']],
    [
      { controller: 'c' },
      ['spec.controller: Invalid value: "c": must be a domain-prefixed path (such as "acme.io/foo")'],
    ],
    [
      { controller: 'example.com/c', parameters: { ...parameters, scope: 'Namespace' } },
      ["spec.parameters.namespace: Required value: `parameters.scope` is set to 'Namespace'"],
    ],
    [
      { controller: 'example.com/c', parameters: { ...parameters, namespace: 'x' } },
      ["spec.parameters.namespace: Forbidden: `parameters.scope` is set to 'Cluster'"],
    ],
    [
      { controller: 'example.com/c', parameters: { ...parameters, scope: 'X' } },
      ['spec.parameters.scope: Unsupported value: "X": supported values: "Cluster", "Namespace"'],
    ],
  ])('%j', (spec, want) => {
    expect(linesOf(object('IngressClass', { spec }))).toEqual(want);
  });
});

describe('NetworkPolicies', () => {
  const BLOCK = 'spec.ingress[0].from[0].ipBlock';
  const NO_CIDR = 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)';
  const from = (peer: object): object => ({ ingress: [{ from: [peer] }] });
  const ports = (port: object): object => ({ egress: [{ ports: [port] }] });
  const block = (cidr: string, ...except: string[]): object => from({ ipBlock: { cidr, except } });
  it.each<[spec: object, want: string[]]>([
    [{}, []],
    [from({ podSelector: {}, namespaceSelector: {} }), []],
    [block('10.0.0.0/8', '10.1.0.0/16'), []],
    [from({}), ['spec.ingress[0].from[0]: Required value: must specify a peer']],
    [
      from({ podSelector: {}, ipBlock: { cidr: '10.0.0.0/8' } }),
      ['spec.ingress[0].from[0]: Forbidden: may not specify both ipBlock and another peer'],
    ],
    [
      block('10.0.0.0/8', '10.0.0.0/8', '11.0.0.0/16'),
      [
        'spec.ingress[0].from[0].ipBlock.except[0]: Invalid value: "10.0.0.0/8": must be a strict subset of `cidr`',
        'spec.ingress[0].from[0].ipBlock.except[1]: Invalid value: "11.0.0.0/16": must be a strict subset of `cidr`',
      ],
    ],
    [ports({ port: 80, endPort: 90 }), []],
    [
      ports({ port: 80, endPort: 70 }),
      ['spec.egress[0].ports[0].endPort: Invalid value: 80: must be greater than or equal to `port`'],
    ],
    [
      ports({ port: 'http', endPort: 70 }),
      ['spec.egress[0].ports[0].endPort: Invalid value: 70: may not be specified when `port` is non-numeric'],
    ],
    [
      ports({ endPort: 70 }),
      ['spec.egress[0].ports[0].endPort: Invalid value: 70: may not be specified when `port` is not specified'],
    ],
    [
      ports({ protocol: 'ICMP' }),
      ['spec.egress[0].ports[0].protocol: Unsupported value: "ICMP": supported values: "TCP", "UDP", "SCTP"'],
    ],
    [block('2001:db8::/32', '2001:DB8:0::/48'), []],
    [
      block('010.1.2.3/8', '10.1.2.3/16', '11.0.0.0/08', 'x'),
      [
        `${BLOCK}.cidr: Invalid value: "010.1.2.3/8": must not have leading 0s in IP or prefix length`,
        `${BLOCK}.except[0]: Invalid value: "10.1.2.3/16": must not have bits set beyond the prefix length`,
        `${BLOCK}.except[1]: Invalid value: "11.0.0.0/08": must not have leading 0s in IP or prefix length`,
        `${BLOCK}.except[1]: Invalid value: "11.0.0.0/08": must be a strict subset of \`cidr\``,
        `${BLOCK}.except[2]: Invalid value: "x": ${NO_CIDR}`,
      ],
    ],
    [
      block('::ffff:10.0.0.0/104'),
      [`${BLOCK}.cidr: Invalid value: "::ffff:10.0.0.0/104": must not have an IPv4-mapped IPv6 address`],
    ],
    [block('10.0.0.0', '10.0.0.0'), [`${BLOCK}.cidr: Invalid value: "10.0.0.0": ${NO_CIDR}`]],
    [block('', '10.0.0.0'), [`${BLOCK}.cidr: Required value`]],
    [
      ports({ port: 0, endPort: 65_536 }),
      [
        'spec.egress[0].ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive',
        'spec.egress[0].ports[0].endPort: Invalid value: 65536: must be between 1 and 65535, inclusive',
      ],
    ],
    [
      ports({ port: 'a-name-that-is-too-long' }),
      ['spec.egress[0].ports[0].port: Invalid value: "a-name-that-is-too-long": must be no more than 15 characters'],
    ],
    [{ policyTypes: ['Ingress', 'Ingress'] }, []],
    [
      { policyTypes: ['Ingress', 'Egress', 'In'] },
      ['spec.policyTypes: Invalid value: ["Ingress","Egress","In"]: may not specify more than two policyTypes'],
    ],
    [{ policyTypes: ['In'] }, ['spec.policyTypes[0]: Unsupported value: "In": supported values: "Ingress", "Egress"']],
  ])('%j', (spec, want) => {
    expect(linesOf(object('NetworkPolicy', { spec }))).toEqual(want);
  });
});
