import { describe, expect, it } from 'vitest';
import { validateObject } from '../../src/manifest/validate/index.ts';
import { warningsFor } from '../../src/manifest/warnings.ts';
import { container, created, object, pod, podOf, template } from './objects.ts';

/** More than a call takes as arguments, and far more than what is quadratic would be done with in time. */
const MANY = 130_000;
const DEADLINE_MS = 60_000;

const many = <T>(make: (index: number) => T, count = MANY): T[] =>
  Array.from({ length: count }, (_, index) => make(index));
const table = (make: (index: number) => string, count?: number): Record<string, string> =>
  Object.fromEntries(many((index) => [make(index), '1'], count));
const job = (spec: object): Record<string, unknown> => ({
  spec: { template: template({ restartPolicy: 'Never' }), completionMode: 'Indexed', completions: 1, ...spec },
});
const files = [{ name: 'v', configMap: { name: 'c', items: many(() => ({ key: 'a', path: '/b' })) } }];

describe('a list without end is checked in time', () => {
  it.each([
    { of: 'ports', given: podOf({ ports: many(() => ({ containerPort: 80, hostPort: 80, name: 'p' })) }) },
    { of: 'variables', given: podOf({ env: many(() => ({ name: '', value: '' })) }) },
    // Four mistakes each.
    { of: 'resources', given: podOf({ resources: { limits: table((index) => `a b/${index}`, MANY / 4) } }) },
    { of: 'mounts', given: podOf({ volumeMounts: many(() => ({ name: 'v', mountPath: '/a' })) }) },
    { of: 'containers', given: pod({ containers: many(() => container()) }) },
    { of: 'volumes', given: pod({ volumes: many(() => ({ name: 'v', emptyDir: {} })) }) },
    { of: 'files', given: pod({ volumes: files }) },
    { of: 'host aliases', given: pod({ hostAliases: many(() => ({ ip: '1', hostnames: ['x y'] })) }) },
    { of: 'name servers', given: pod({ dnsConfig: { nameservers: many(() => 'x'), searches: many(() => 'x y') } }) },
    { of: 'tolerations', given: pod({ tolerations: many(() => ({ operator: 'Exists', value: 'x' })) }) },
    { of: 'labels', given: pod({}, { labels: table((index) => `a b/${index}`) }) },
    { of: 'ports of a Service', given: object('Service', { spec: { ports: many(() => ({ port: 80 })) } }) },
    {
      of: 'rules of a Job',
      given: object('Job', job({ successPolicy: { rules: many(() => ({ succeededIndexes: '5-1' })) } })),
    },
  ])('of $of', { timeout: DEADLINE_MS }, ({ given }) => {
    const whole = created(given);
    expect(validateObject(whole)).not.toEqual([]);
    expect(() => warningsFor(whole)).not.toThrow();
  });
});
