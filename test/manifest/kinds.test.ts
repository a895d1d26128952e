import { describe, expect, it } from 'vitest';
import { fieldTable } from '../../src/api/generated/field-table.ts';
import { isListKind, lookUpKind } from '../../src/manifest/check/kinds.ts';
import { mostSimilar } from '../../src/api/similar.ts';

describe('kinds', () => {
  it.each([
    ['v1', 'Pod', { verdict: 'known', typeName: 'Pod', namespaced: true }],
    ['batch/v1', 'Job', { verdict: 'known', typeName: 'batch.Job', namespaced: true }],
    ['v1', 'Namespace', { verdict: 'known', typeName: 'Namespace', namespaced: false }],
    [
      'scheduling.k8s.io/v1',
      'PriorityClass',
      { verdict: 'known', typeName: 'scheduling.PriorityClass', namespaced: false },
    ],
    ['node.k8s.io/v1', 'RuntimeClass', { verdict: 'known', typeName: 'node.RuntimeClass', namespaced: false }],
    ['v1', 'PersistentVolume', { verdict: 'known', typeName: 'PersistentVolume', namespaced: false }],
    ['v1', 'Binding', { verdict: 'unsupported' }],
    ['networking.k8s.io/v1', 'Ingress', { verdict: 'known', typeName: 'networking.Ingress', namespaced: true }],
    ['networking.k8s.io/v1', 'ServiceCIDR', { verdict: 'unsupported' }],
    ['v1', 'pod', { verdict: 'unknown', hint: 'did you mean "Pod"?' }],
    ['V1', 'Pod', { verdict: 'unknown', hint: 'use v1' }],
    ['batch/v1beta1', 'CronJob', { verdict: 'unknown', hint: 'use batch/v1' }],
    [
      'autoscaling/v2beta2',
      'HorizontalPodAutoscaler',
      { verdict: 'unknown', hint: 'use autoscaling/v1 or autoscaling/v2' },
    ],
    ['batch/v1', 'Whatever', { verdict: 'unknown', hint: 'known kinds in batch/v1: CronJob, Job' }],
    ['example.com/v1', 'Whatever', { verdict: 'unknown', hint: undefined }],
    ['constructor', 'name', { verdict: 'unknown', hint: undefined }],
  ])('%s %s', (apiVersion, kind, want) => {
    expect(lookUpKind(apiVersion, kind)).toEqual(want);
  });

  it('that are known have fields', () => {
    const typeOf = (key: string): string | undefined => {
      const slash = key.lastIndexOf('/');
      const found = lookUpKind(key.slice(0, slash), key.slice(slash + 1));
      return found.verdict === 'known' ? found.typeName : undefined;
    };
    const known = Object.entries(fieldTable.kinds).filter(([key]) => typeOf(key) !== undefined);
    expect(known).toHaveLength(30);
    expect(known.map(([key]) => typeOf(key))).toEqual(known.map(([, type]) => type));
  });

  it.each([
    ['v1', 'List', true],
    ['v1', 'PodList', true],
    ['apps/v1', 'DeploymentList', true],
    ['networking.k8s.io/v1', 'IngressList', true],
    ['apps/v1', 'List', false],
    ['v1', 'Pod', false],
    ['v1', 'WishList', false],
  ])('%s %s is a list: %s', (apiVersion, kind, want) => {
    expect(isListKind(apiVersion, kind)).toBe(want);
  });
});

describe('similar names', () => {
  it.each([
    ['', '', true],
    ['kitten', 'sittin', true],
    ['kitten', 'sitting', false],
    ['abc', '', false],
    ['abcd', 'acbd', true],
    ['abc', 'acb', false],
  ])('%j is taken for %j: %s', (name, candidate, want) => {
    expect(mostSimilar(name, [candidate])).toBe(want ? candidate : undefined);
  });

  it('are the nearest, the first of equals, and never quite other words', () => {
    expect(mostSimilar('contaners', ['container', 'containers'])).toBe('containers');
    expect(mostSimilar('ENVFROM', ['env', 'envFrom'])).toBe('envFrom');
    expect(mostSimilar('bat', ['cat', 'hat'])).toBe('cat');
    expect(mostSimilar('foo', ['bar', 'tty'])).toBeUndefined();
    expect(mostSimilar('a', ['b'])).toBeUndefined();
  });
});
