import { describe, expect, it } from 'vitest';
import type { StoredService } from '../../../src/api/base/objects.ts';
import { forwardedPorts } from '../../../src/lifecycle/requests/forwarded-ports.ts';
import { newPod } from '../../simulation/new-pod.ts';

const pod = newPod({
  containers: [
    {
      name: 'main',
      ports: [
        { name: 'http', containerPort: 8080 },
        { name: 'dns', containerPort: 53, protocol: 'UDP' },
        { name: 'both', containerPort: 54, protocol: 'UDP' },
        { containerPort: 54, protocol: 'TCP' },
      ],
    },
  ],
});

const service = (clusterIP?: string): StoredService => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { ...pod.metadata, name: 'front' },
  spec: {
    ...(clusterIP === undefined ? {} : { clusterIP }),
    ports: [
      { name: 'web', port: 80, targetPort: 'http' },
      { port: 81 },
      { port: 82, targetPort: 9000 },
      { port: 83, targetPort: 'nope' },
    ],
  },
});

describe('ports of a Pod', () => {
  it.each([
    ['8080', 8080, 8080],
    ['80:8080', 80, 8080],
    [':8080', 0, 8080],
    ['0:8080', 0, 8080],
    ['http', 8080, 8080],
    ['90:http', 90, 8080],
    ['54', 54, 54],
  ])('%s is %i to %i', (word, local, remote) => {
    expect(forwardedPorts([word], pod, undefined)).toEqual([{ local, remote }]);
  });

  it.each([
    ['abc', "Pod 'web' does not have a named port 'abc'"],
    ['1:2:3', "invalid port format '1:2:3'"],
    ['x:80', `error parsing local port 'x': strconv.ParseUint: parsing "x": invalid syntax`],
    ['70000', `error parsing remote port '70000': strconv.ParseUint: parsing "70000": value out of range`],
    ['-1', `error parsing remote port '-1': strconv.ParseUint: parsing "-1": invalid syntax`],
    ['80:0', 'remote port must be > 0'],
    ['dns', 'UDP protocol is not supported for dns'],
    ['53', 'UDP protocol is not supported for 53'],
  ])('%s is refused', (word, message) => {
    expect(() => forwardedPorts([word], pod, undefined)).toThrow(message);
  });
});

describe('ports of a Service', () => {
  it.each([
    ['80', 80, 8080],
    ['web', 80, 8080],
    ['9999:web', 9999, 8080],
    [':81', 0, 81],
    ['82', 82, 9000],
  ])('%s is %i to %i', (word, local, remote) => {
    expect(forwardedPorts([word], pod, service())).toEqual([{ local, remote }]);
  });

  it('that has no address of its own are the ports of the Pod', () => {
    expect(forwardedPorts(['80'], pod, service('None'))).toEqual([{ local: 80, remote: 80 }]);
  });

  it.each([
    ['90', 'Service front does not have a service port 90'],
    ['abc', "Service 'front' does not have a named port 'abc'"],
    ['83', "Pod 'web' does not have a named port 'nope'"],
  ])('%s is refused', (word, message) => {
    expect(() => forwardedPorts([word], pod, service())).toThrow(message);
  });
});
