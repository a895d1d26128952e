import { describe, expect, it } from 'vitest';
import { type PodResources, qosClassOf } from '../../src/api/pod-resources.ts';

const both = { cpu: '1', memory: '1Gi' };
const guaranteed = { resources: { limits: both, requests: both } };
const idle = { resources: {} };

describe('qosClassOf()', () => {
  it.each<{ name: string; spec: PodResources; want: ReturnType<typeof qosClassOf> }>([
    { name: 'nothing asked for', spec: { containers: [idle] }, want: 'BestEffort' },
    {
      name: 'values of zero, which count as nothing',
      spec: { containers: [{ resources: { requests: { cpu: '0' }, limits: { memory: '0' } } }] },
      want: 'BestEffort',
    },
    {
      name: 'resources that do not count',
      spec: { containers: [{ resources: { requests: { 'ephemeral-storage': '1Gi' } } }] },
      want: 'BestEffort',
    },
    { name: 'limits that equal the requests', spec: { containers: [guaranteed] }, want: 'Guaranteed' },
    {
      name: 'equal amounts that are written differently',
      spec: { containers: [{ resources: { limits: both, requests: { cpu: '1000m', memory: '1024Mi' } } }] },
      want: 'Guaranteed',
    },
    { name: 'one container without limits', spec: { containers: [guaranteed, idle] }, want: 'Burstable' },
    {
      name: 'an init container without limits',
      spec: { containers: [guaranteed], initContainers: [idle] },
      want: 'Burstable',
    },
    {
      name: 'requests below the limits',
      spec: { containers: [{ resources: { limits: both, requests: { ...both, cpu: '500m' } } }] },
      want: 'Burstable',
    },
    {
      name: 'a limit for one of the two only',
      spec: { containers: [{ resources: { limits: { cpu: '1' }, requests: { cpu: '1' } } }] },
      want: 'Burstable',
    },
    {
      name: 'sums that are equal, though the containers differ',
      spec: {
        containers: [
          { resources: { limits: both, requests: { cpu: '2', memory: '1Gi' } } },
          { resources: { limits: { cpu: '3', memory: '1Gi' }, requests: { cpu: '2', memory: '1Gi' } } },
        ],
      },
      want: 'Guaranteed',
    },
    {
      name: 'resources of the Pod, which decide alone',
      spec: { containers: [idle], resources: { limits: both, requests: both } },
      want: 'Guaranteed',
    },
    {
      name: 'requests of the Pod without limits',
      spec: { containers: [guaranteed], resources: { requests: both } },
      want: 'Burstable',
    },
    {
      name: 'empty resources of the Pod, which decide nothing',
      spec: { containers: [guaranteed], resources: { limits: {} } },
      want: 'Guaranteed',
    },
  ])('$name: $want', ({ spec, want }) => {
    expect(qosClassOf(spec)).toBe(want);
  });
});
