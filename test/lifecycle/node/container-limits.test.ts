import { describe, expect, it } from 'vitest';
import type { Container, PodSpec, ResourceRequirements } from '../../../src/api/generated/types.ts';
import { containerLimits } from '../../../src/lifecycle/node/container-limits.ts';

const MI = 1024 * 1024;

function container(name: string, resources: ResourceRequirements = {}, extra: Partial<Container> = {}): Container {
  return { name, image: 'x', resources, ...extra };
}

function limitsOf(spec: Partial<PodSpec>, name = 'a', pids?: number) {
  const all = [...(spec.initContainers ?? []), ...(spec.containers ?? [])];
  return containerLimits(
    spec as PodSpec,
    all.find((one) => one.name === name)!,
    pids,
  );
}

const NOTHING = { memoryBytes: undefined, cpuMillis: undefined, pids: undefined };

describe('the limits of a container', () => {
  it('are none without resources', () => {
    expect(limitsOf({ containers: [container('a')] })).toBeUndefined();
    expect(limitsOf({ containers: [container('a', { requests: { memory: '1Gi' } })] })).toBeUndefined();
    expect(limitsOf({ containers: [container('a', { limits: { 'ephemeral-storage': '1Gi' } })] })).toBeUndefined();
    expect(limitsOf({ containers: [container('a', { limits: { memory: '0', cpu: '0' } })] })).toBeUndefined();
  });

  it('are its own, and the sum of all for the Pod when each has one', () => {
    const a = container('a', { limits: { memory: '64Mi', cpu: '250m' }, requests: { memory: '64Mi', cpu: '100m' } });
    const b = container('b', { limits: { memory: '16Mi' }, requests: { memory: '16Mi' } });
    const together = { memoryBytes: 80 * MI, cpuMillis: undefined, cpuRequestMillis: 100, pids: undefined };
    const spec = { containers: [a, b] };
    expect(limitsOf(spec)).toEqual({
      memoryBytes: 64 * MI,
      cpuMillis: 250,
      cpuRequestMillis: 100,
      pids: undefined,
      together,
    });
    expect(limitsOf(spec, 'b')).toEqual({ ...NOTHING, memoryBytes: 16 * MI, cpuRequestMillis: 0, together });
  });

  it('of the Pod count init containers only as far as they run beside other containers', () => {
    const limited = (name: string, memory: string, extra: Partial<Container> = {}): Container =>
      container(name, { limits: { memory }, requests: { memory } }, extra);
    const spec = {
      initContainers: [limited('i', '100Mi'), limited('s', '10Mi', { restartPolicy: 'Always' })],
      containers: [limited('a', '20Mi')],
    };
    expect(limitsOf(spec)?.together.memoryBytes).toBe(100 * MI);
    expect(limitsOf(spec, 's')?.memoryBytes).toBe(10 * MI);
    const free = { ...spec, containers: [container('a')] };
    expect(limitsOf(free)).toMatchObject(NOTHING);
    expect(limitsOf(free, 'i')?.together.memoryBytes).toBeUndefined();
  });

  it('of a Pod as a whole hold for containers that have none', () => {
    const spec = {
      resources: { limits: { memory: '50Mi', cpu: '1' }, requests: { memory: '50Mi', cpu: '500m' } },
      containers: [container('a'), container('b', { limits: { memory: '10Mi' }, requests: { memory: '10Mi' } })],
    };
    const together = { memoryBytes: 50 * MI, cpuMillis: 1000, cpuRequestMillis: 500, pids: undefined };
    const whole = { memoryBytes: 50 * MI, cpuMillis: 1000, cpuRequestMillis: 0, pids: undefined };
    expect(limitsOf(spec)).toEqual({ ...whole, together });
    expect(limitsOf(spec, 'b')).toEqual({ ...whole, memoryBytes: 10 * MI, together });
  });

  it('of processes hold for the whole Pod', () => {
    const together = { ...NOTHING, cpuRequestMillis: 0, pids: 20 };
    expect(limitsOf({ containers: [container('a')] }, 'a', 20)).toEqual({ ...NOTHING, cpuRequestMillis: 0, together });
  });

  it('are no larger than a number can hold', () => {
    const spec = { containers: [container('a', { limits: { memory: '9Ei' } })] };
    expect(limitsOf(spec)?.memoryBytes).toBe(Number.MAX_SAFE_INTEGER);
  });
});
