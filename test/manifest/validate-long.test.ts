import { describe, expect, it } from 'vitest';
import { validateObject } from '../../src/manifest/validate/index.ts';
import { warningsFor } from '../../src/manifest/warnings/object-warnings.ts';
import { container, created, object, pod, podOf, template } from './objects.ts';

/** A number of mistakes beyond the arguments of a call. A quadratic algorithm would take too long for it. */
const MANY = 130_000;
/** The limit for the time of the processor: it does not depend on other programs. */
const LONGEST_MS = 60_000;

/** The number of items that have MANY mistakes. */
const many = <T>(make: (index: number) => T, mistakesEach = 1): T[] =>
  Array.from({ length: Math.ceil(MANY / mistakesEach) + 1 }, (_, index) => make(index));
const table = (make: (index: number) => string, mistakesEach?: number): Record<string, string> =>
  Object.fromEntries(many((index) => [make(index), '1'], mistakesEach));
const job = (spec: object): Record<string, unknown> => ({
  spec: { template: template({ restartPolicy: 'Never' }), completionMode: 'Indexed', completions: 1, ...spec },
});
const files = [{ name: 'v', configMap: { name: 'c', items: many(() => ({ key: '', path: '/b' }), 2) } }];
const wrong = { name: 'A', image: '', imagePullPolicy: 'x', terminationMessagePolicy: 'y' };

describe('a list without end is checked in time', () => {
  it.each([
    { of: 'ports', given: podOf({ ports: many(() => ({ containerPort: 80, hostPort: 80, name: 'p' }), 2) }) },
    { of: 'variables', given: podOf({ env: many(() => ({ name: '', value: '' })) }) },
    { of: 'resources', given: podOf({ resources: { limits: table((index) => `a b/${index}`, 4) } }) },
    { of: 'mounts', given: podOf({ volumeMounts: many(() => ({ name: 'v', mountPath: '/a' }), 2) }) },
    { of: 'containers', given: pod({ containers: many(() => container(wrong), 4) }) },
    { of: 'volumes', given: pod({ volumes: many(() => ({ name: 'v', emptyDir: {} })) }) },
    { of: 'files', given: pod({ volumes: files }) },
    { of: 'host aliases', given: pod({ hostAliases: many(() => ({ ip: '1', hostnames: ['x y'] }), 2) }) },
    { of: 'name servers', given: pod({ dnsConfig: { nameservers: many(() => 'x') } }) },
    { of: 'search domains', given: pod({ dnsConfig: { searches: many(() => 'x y') } }) },
    { of: 'tolerations', given: pod({ tolerations: many(() => ({ operator: 'Exists', value: 'x' })) }) },
    { of: 'labels', given: pod({}, { labels: table((index) => `a b/${index}`) }) },
    { of: 'ports of a Service', given: object('Service', { spec: { ports: many(() => ({ port: 80 }), 2) } }) },
    {
      of: 'rules of a Job',
      given: object('Job', job({ successPolicy: { rules: many(() => ({ succeededIndexes: '5-1' })) } })),
    },
  ])('of $of', ({ given }) => {
    const before = process.cpuUsage();
    const whole = created(given);
    expect(validateObject(whole).length).toBeGreaterThanOrEqual(MANY);
    expect(() => warningsFor(whole)).not.toThrow();
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1000).toBeLessThan(LONGEST_MS);
  });
});
