import { describe, expect, it } from 'vitest';
import type { Container, ResourceRequirements } from '../../../src/api/generated/types.ts';
import { podField, resourceField } from '../../../src/lifecycle/environment/downward-api.ts';
import { node, podWith } from '../base-objects.ts';

describe('podField()', () => {
  const pod = podWith(
    { nodeName: 'node-1' },
    { labels: { app: 'web', "it's": 'odd' }, annotations: { 'example.com/note': 'two\nlines' } },
  );

  it.each([
    ['metadata.name', 'web'],
    ['metadata.namespace', 'shop'],
    ['metadata.uid', '7b3d8f6e-0000-4000-8000-000000000001'],
    ["metadata.labels['app']", 'web'],
    ["metadata.labels['it's']", 'odd'],
    ["metadata.labels['none']", ''],
    ["metadata.labels['constructor']", ''],
    ["metadata.annotations['example.com/note']", 'two\nlines'],
    ['spec.nodeName', 'node-1'],
    ['spec.serviceAccountName', 'default'],
    ['status.hostIP', '192.0.2.7'],
    ['status.podIP', '192.0.2.7'],
    ['spec.restartPolicy', undefined],
    ['toString', undefined],
  ])('reads %s', (fieldPath, want) => {
    expect(podField(fieldPath, { pod, node })).toBe(want);
  });

  it('puts the addresses of the family of the node first', () => {
    const both = { ...podWith(), status: { podIPs: [{ ip: '198.51.100.1' }, { ip: 'fd00::1' }] } };
    const dual = { ...node, hostIPs: ['fd00::7', '192.0.2.7'] as const };
    expect(podField('status.podIPs', { pod: both, node: { ...dual, hostIPs: [...dual.hostIPs] } })).toBe(
      'fd00::1,198.51.100.1',
    );
  });
});

describe('resourceField()', () => {
  const own: Container = {
    name: 'main',
    resources: {
      limits: { cpu: '1250m', memory: '64Mi', 'hugepages-2Mi': '4Mi' },
      requests: { cpu: '250m', memory: '32Mi' },
    },
  };
  const plain: Container = { name: 'plain', resources: { limits: { cpu: '0' } } };
  const valueOf = (
    resource: string,
    rest: { divisor?: string; containerName?: string; container?: Container; pod?: ResourceRequirements } = {},
  ): string => {
    const pod = podWith({ containers: [own], initContainers: [plain], resources: rest.pod });
    const { divisor, containerName, container = own } = rest;
    const outcome = resourceField({ resource, divisor, containerName }, container, { pod, node });
    return outcome.ok ? outcome.value : outcome.message;
  };

  it.each([
    { name: 'counts cores, rounded up', value: valueOf('limits.cpu'), want: '2' },
    { name: 'counts thousandths of cores', value: valueOf('limits.cpu', { divisor: '1m' }), want: '1250' },
    { name: 'takes a divisor of zero for one', value: valueOf('requests.cpu', { divisor: '0' }), want: '1' },
    { name: 'counts bytes', value: valueOf('requests.memory'), want: '33554432' },
    { name: 'divides bytes, rounded up', value: valueOf('limits.memory', { divisor: '1M' }), want: '68' },
    { name: 'divides huge pages', value: valueOf('limits.hugepages-2Mi', { divisor: '1Mi' }), want: '4' },
    { name: 'reads a missing request as zero', value: valueOf('requests.ephemeral-storage'), want: '0' },
    { name: 'limits by what the node has', value: valueOf('limits.ephemeral-storage', { divisor: '1Gi' }), want: '10' },
    { name: 'takes a limit of zero for none', value: valueOf('limits.cpu', { container: plain }), want: '2' },
    { name: 'does not limit huge pages by the node', value: valueOf('limits.hugepages-1Gi'), want: '0' },
    {
      name: 'limits by the Pod before the node',
      value: valueOf('limits.memory', { container: plain, divisor: '1Mi', pod: { limits: { memory: '100Mi' } } }),
      want: '100',
    },
    {
      name: 'looks at another container when asked to',
      value: valueOf('limits.memory', { containerName: 'plain', divisor: '1Gi' }),
      want: '4',
    },
    {
      name: 'misses a container',
      value: valueOf('limits.cpu', { containerName: 'no' }),
      want: 'container no not found',
    },
    { name: 'knows no other kind', value: valueOf('claims.cpu'), want: 'unsupported container resource : claims.cpu' },
  ])('$name', ({ value, want }) => {
    expect(value).toBe(want);
  });
});
