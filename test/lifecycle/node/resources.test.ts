import { effectiveResources } from '../../../src/api/pod-resources.ts';
import { describe, expect, it } from 'vitest';
import type { PodSpec } from '../../../src/api/generated/types.ts';
import { formatQuantity } from '../../../src/api/quantity.ts';
import { requesting } from '../base-objects.ts';

const texts = (spec: PodSpec, kind: 'requests' | 'limits' = 'requests'): Record<string, string> => {
  return Object.fromEntries([...effectiveResources(spec, kind)].map(([name, value]) => [name, formatQuantity(value)]));
};
const init = (cpu: string): ReturnType<typeof requesting> => requesting({ cpu });
const sidecar = (cpu: string): ReturnType<typeof requesting> => requesting({ cpu }, { restartPolicy: 'Always' });

describe('effectiveResources()', () => {
  it.each<{ name: string; spec: PodSpec; want: Record<string, string> }>([
    {
      name: 'adds up containers that run together',
      spec: { containers: [requesting({ cpu: '500m', memory: '1Gi' }), requesting({ cpu: '1' })] },
      want: { cpu: '1500m', memory: '1Gi' },
    },
    {
      name: 'counts the largest init container, not their sum',
      spec: { initContainers: [init('2'), init('3')], containers: [requesting({ cpu: '1' })] },
      want: { cpu: '3' },
    },
    {
      name: 'counts a sidecar beside the containers and beside later init containers',
      spec: { initContainers: [init('2'), sidecar('1'), init('2')], containers: [requesting({ cpu: '500m' })] },
      want: { cpu: '3' },
    },
    {
      name: 'counts a sidecar not beside earlier init containers',
      spec: { initContainers: [init('2'), sidecar('1')], containers: [requesting({ cpu: '500m' })] },
      want: { cpu: '2' },
    },
    {
      name: 'lets the Pod name its own requests, for the resources that it may',
      spec: {
        containers: [requesting({ cpu: '1', 'example.com/gpu': '1' })],
        resources: { requests: { cpu: '4', 'example.com/gpu': '9' } },
      },
      want: { cpu: '4', 'example.com/gpu': '1' },
    },
    {
      name: 'adds the overhead, also of resources without a request',
      spec: { containers: [requesting({ cpu: '1' })], overhead: { cpu: '250m', memory: '16Mi' } },
      want: { cpu: '1250m', memory: '16Mi' },
    },
  ])('$name', ({ spec, want }) => {
    expect(texts(spec)).toEqual(want);
  });

  it('adds the overhead to limits only where there are limits', () => {
    const limits = { cpu: '1', 'example.com/gpu': '0' };
    const spec = {
      containers: [{ name: 'main', resources: { limits } }],
      overhead: { cpu: '100m', memory: '1Mi', 'example.com/gpu': '1' },
    };
    expect(texts(spec, 'limits')).toEqual({ cpu: '1100m', 'example.com/gpu': '0' });
  });
});
