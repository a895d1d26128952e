import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../src/api/base/objects.ts';
import { asCreated } from '../../src/manifest/default/created.ts';
import { applyDefaults } from '../../src/manifest/default/index.ts';
import { admitUpdate } from '../../src/manifest/update/index.ts';

const job = (spec: object, labels?: Record<string, string>): KubeObject => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: 'pi', ...(labels === undefined ? {} : { labels }) },
  spec: { template: { spec: { containers: [] } }, ...spec },
});
const daemonSet = (image: string): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { name: 'agent', namespace: 'default', generation: 1 },
  spec: {
    selector: { matchLabels: { app: 'agent' } },
    template: { metadata: { labels: { app: 'agent' } }, spec: { containers: [{ name: 'main', image }] } },
  },
});

const GENERATED = {
  'controller-uid': 'u1',
  'batch.kubernetes.io/controller-uid': 'u1',
  'job-name': 'pi',
  'batch.kubernetes.io/job-name': 'pi',
};

describe('a new Job', () => {
  it('gets a selector and labels with its uid', () => {
    const created = asCreated(job({}), () => 'u1');
    expect(created).toMatchObject({
      metadata: { uid: 'u1', labels: GENERATED },
      spec: {
        selector: { matchLabels: { 'batch.kubernetes.io/controller-uid': 'u1' } },
        template: { metadata: { labels: GENERATED } },
      },
      status: {},
    });
  });

  it('keeps its own labels', () => {
    expect(asCreated(job({}, { app: 'pi' }), () => 'u1').metadata.labels).toEqual({ app: 'pi' });
  });

  it('with a selector by hand stays unchanged', () => {
    const selector = { matchLabels: { app: 'pi' } };
    const created = asCreated(job({ manualSelector: true, selector }), () => 'u1');
    expect(created['spec']).toEqual({ manualSelector: true, selector, template: { spec: { containers: [] } } });
  });
});

describe('a new object', () => {
  it.each([
    ['Deployment', {}],
    ['CronJob', {}],
    ['ReplicaSet', { replicas: 0 }],
    ['StatefulSet', { replicas: 0, availableReplicas: 0 }],
  ])('%s has its first status', (kind, status) => {
    const object: KubeObject = { apiVersion: 'apps/v1', kind, metadata: { name: 'web' }, spec: {} };
    expect(asCreated(object, () => 'u1')['status']).toEqual(status);
  });

  it('of another kind has none', () => {
    const object: KubeObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'web' } };
    expect(asCreated(object, () => 'u1')).toEqual({ ...object, metadata: { name: 'web', uid: 'u1' } });
  });
});

it('a DaemonSet counts its templates', () => {
  const count = ({ metadata }: KubeObject): unknown =>
    metadata.annotations?.['deprecated.daemonset.template.generation'];
  const first = asCreated(applyDefaults(daemonSet('one')), () => 'u1');
  expect(count(first)).toBe('1');
  const labelled = admitUpdate(first, { ...first, metadata: { ...first.metadata, labels: { a: 'b' } } });
  const changed = admitUpdate(first, { ...first, spec: daemonSet('two')['spec'] });
  expect([labelled, changed].map((outcome) => (outcome.ok ? count(outcome.object) : outcome.errors))).toEqual([
    '1',
    '2',
  ]);
});
