import { describe, expect, it } from 'vitest';
import { fitted, linesOf, object } from './objects.ts';

const service = (spec: object): string[] =>
  linesOf(object('Service', { spec: { ports: [{ port: 80 }], ...spec } })).map((line) => line.replace(/^spec\./, ''));

describe('Services', () => {
  it.each([
    { name: 'headless without ports', spec: { clusterIP: 'None', ports: [] } },
    {
      name: 'an external name with a final dot',
      spec: { type: 'ExternalName', externalName: 'db.example.com.', ports: [] },
    },
    {
      name: 'both families',
      spec: { clusterIPs: ['10.0.0.1', '::1'], clusterIP: '10.0.0.1', ipFamilies: ['IPv4', 'IPv6'] },
    },
    {
      name: 'one number in two protocols',
      spec: {
        ports: [
          { name: 'a', port: 53 },
          { name: 'b', port: 53, protocol: 'UDP' },
        ],
      },
    },
    { name: 'sticky clients', spec: { sessionAffinity: 'ClientIP' } },
    {
      name: 'a balancer with ranges',
      spec: { type: 'LoadBalancer', loadBalancerSourceRanges: [' 10.0.0.0/8 ', '::/0'] },
    },
    { name: 'local traffic of a node port', spec: { type: 'NodePort', externalTrafficPolicy: 'Local' } },
    { name: 'a port by name', spec: { ports: [{ port: 80, targetPort: 'http', appProtocol: 'kubernetes.io/h2c' }] } },
  ])('take $name', ({ spec }) => {
    expect(service(spec)).toEqual([]);
  });

  it.each([
    {
      spec: {
        ports: [
          { port: 1, nodePort: 30_000 },
          { port: 2, name: 'B', nodePort: 30_000 },
        ],
        type: 'NodePort',
      },
      want: [
        'ports[0].name: Required value',
        /^ports\[1\]\.name: Invalid value: "B": a lowercase RFC 1123 label/,
        'ports[1].nodePort: Duplicate value: 30000',
      ],
    },
    {
      spec: { type: 'LoadBalancer', clusterIP: 'None' },
      want: ['clusterIPs[0]: Invalid value: "None": may not be set to \'None\' for LoadBalancer services'],
    },
    {
      spec: {
        type: 'ExternalName',
        externalName: 'a',
        clusterIP: '10.0.0.1',
        ipFamilies: ['IPv4'],
        ipFamilyPolicy: 'x',
      },
      want: ['clusterIPs', 'ipFamilies', 'ipFamilyPolicy'].map(
        (field) => `${field}: Forbidden: may not be set for ExternalName services`,
      ),
    },
    {
      spec: { sessionAffinity: 'ClientIP', sessionAffinityConfig: { clientIP: { timeoutSeconds: 86_401 } } },
      want: [
        'sessionAffinityConfig.clientIP.timeoutSeconds: Invalid value: 86401: ' +
          'must be greater than 0 and less than 86400',
      ],
    },
    {
      spec: { clusterIPs: ['10.0.0.1'] },
      want: ['clusterIPs: Invalid value: ["10.0.0.1"]: must be empty when `clusterIP` is not specified'],
    },
    {
      spec: { clusterIP: '10.0.0.1', clusterIPs: ['10.0.0.2', '10.0.0.1'] },
      want: [
        'clusterIPs: Invalid value: ["10.0.0.2","10.0.0.1"]: first value must match `clusterIP`',
        'clusterIPs: Invalid value: ["10.0.0.2","10.0.0.1"]: may specify no more than one IP for each IP family',
      ],
    },
    {
      spec: { clusterIP: '10.0.0.1', ipFamilies: ['IPv6', 'IPv6', 'X'] },
      want: [
        'ipFamilies[1]: Duplicate value: "IPv6"',
        'ipFamilies[2]: Unsupported value: "X": supported values: "IPv4", "IPv6"',
        'clusterIPs[0]: Invalid value: "10.0.0.1": expected an IPv6 value as indicated by `ipFamilies[0]`',
      ],
    },
    {
      spec: { externalIPs: ['0.0.0.0', '127.0.0.1', '169.254.1.1', 'x'] },
      want: [
        'externalIPs[0]: Invalid value: "0.0.0.0": may not be unspecified (0.0.0.0)',
        'externalIPs[1]: Invalid value: "127.0.0.1": may not be in the loopback range (127.0.0.0/8, ::1/128)',
        'externalIPs[2]: Invalid value: "169.254.1.1": may not be in the link-local range (169.254.0.0/16, fe80::/10)',
        /^externalIPs\[3\]: Invalid value: "x": must be a valid IP address/,
      ],
    },
    {
      spec: { loadBalancerSourceRanges: ['10.0.0.0/33'], loadBalancerClass: 'x' },
      want: [
        "LoadBalancerSourceRanges: Forbidden: may only be used when `type` is 'LoadBalancer'",
        /^LoadBalancerSourceRanges\[0\]: Invalid value: "10\.0\.0\.0\/33": must be a valid CIDR value/,
        "loadBalancerClass: Forbidden: may only be used when `type` is 'LoadBalancer'",
      ],
    },
    {
      spec: { externalTrafficPolicy: 'Local', healthCheckNodePort: 1 },
      want: [
        'externalTrafficPolicy: Invalid value: "Local": may only be set for externally-accessible services',
        /^healthCheckNodePort: Invalid value: 1: may only be set when `type` is 'LoadBalancer' and/,
      ],
    },
    {
      spec: { trafficDistribution: 'PreferFar', internalTrafficPolicy: 'Nowhere' },
      want: [
        'internalTrafficPolicy: Unsupported value: "Nowhere": supported values: "Cluster", "Local"',
        /^trafficDistribution: Unsupported value: "PreferFar"/,
      ],
    },
  ])('refuse $spec', ({ spec, want }) => {
    expect(fitted(service(spec), want)).toEqual(want);
  });
});
