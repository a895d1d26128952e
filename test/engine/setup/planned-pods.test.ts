import { expect, it } from 'vitest';
import { openLimits, plannedPods } from '../../../src/engine/setup/open-runtime.ts';
import type { KubeObject } from '../../../src/api/base/objects.ts';

const spec = { containers: [{ name: 'main', resources: { limits: { memory: '64Mi' } } }] };
const template = { template: { spec } };

it.each([
  { kind: 'Pod', more: { spec } },
  { kind: 'Deployment', more: { spec: template } },
  { kind: 'CronJob', more: { spec: { jobTemplate: { spec: template } } } },
])('a $kind has one Pod to check before it runs', ({ kind, more }) => {
  const object: KubeObject = { apiVersion: 'v1', kind, metadata: { name: 'web' }, ...more };
  const planned = plannedPods([{ object, written: object, file: 'web.yaml' }]);
  expect(planned).toEqual([{ kind, namespace: 'default', name: 'web', spec, file: 'web.yaml' }]);
  expect(openLimits(planned, undefined, false)).toBeDefined();
});

it('a ConfigMap has none', () => {
  const object: KubeObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'web' } };
  expect(plannedPods([{ object, written: object, file: 'web.yaml' }])).toEqual([]);
});
