import { expect, it } from 'vitest';
import type { StoredAutoscaler } from '../../../src/api/index.ts';
import { otherMetricsOf } from '../../../src/apiserver/aggregation/other-metrics.ts';
import type { ServerContext } from '../../../src/apiserver/base/context.ts';
import { AggregatedTable, type AggregatedVersion } from '../../../src/apiserver/resources/aggregated-table.ts';
import { ResourceTable } from '../../../src/apiserver/resources/resource-table.ts';
import { BUILT_IN_RESOURCES } from '../../../src/apiserver/built-in.ts';

const RPS = { name: 'rps' };
const QUEUE = { name: 'queue', selector: { matchLabels: { topic: 'mail' } } };
const MAIN = { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', name: 'main' };
const target = { type: 'AverageValue', averageValue: '10' };

const AUTOSCALER = {
  apiVersion: 'autoscaling/v2',
  kind: 'HorizontalPodAutoscaler',
  metadata: { name: 'web', namespace: 'shop' },
  spec: {
    maxReplicas: 3,
    metrics: [
      { type: 'Pods', pods: { metric: RPS, target } },
      { type: 'Object', object: { metric: RPS, describedObject: MAIN, target } },
      { type: 'External', external: { metric: QUEUE, target } },
    ],
  },
} as unknown as StoredAutoscaler;

const CUSTOM = '/apis/custom.metrics.k8s.io/v1beta2/namespaces/shop';
const PODS = `${CUSTOM}/pods/*/rps?labelSelector=app%3Dweb`;
const OBJECT = `${CUSTOM}/ingresses.networking.k8s.io/main/rps`;
const OUTSIDE = '/apis/external.metrics.k8s.io/v1beta1/namespaces/shop/queue?labelSelector=topic%3Dmail';

/** Adapters that respond with these items, by path. */
function adapters(versions: readonly string[], answers: Readonly<Record<string, readonly object[]>>) {
  const aggregated = new AggregatedTable();
  for (const name of versions) {
    const [group = '', version = ''] = name.split('/');
    aggregated.set({ group, version } as AggregatedVersion);
  }
  const ask = async (_version: AggregatedVersion, path: string) => {
    const items = answers[path];
    const body = items === undefined ? { kind: 'Status', message: `no metric at ${path}` } : { items };
    return { code: items === undefined ? 404 : 200, body: Buffer.from(JSON.stringify(body)) };
  };
  const context = { aggregated, resources: new ResourceTable(BUILT_IN_RESOURCES) } as unknown as ServerContext;
  return otherMetricsOf(context, ask)(AUTOSCALER, 'app=web');
}

const BOTH = ['custom.metrics.k8s.io/v1beta2', 'external.metrics.k8s.io/v1beta1'];

it('adapters give the values of Pods, of objects and of other systems', async () => {
  const timestamp = '2026-11-29T12:00:00Z';
  const metrics = await adapters(BOTH, {
    [PODS]: [{ describedObject: { kind: 'Pod', name: 'web-1' }, timestamp, windowSeconds: 30, value: '12500m' }],
    [OBJECT]: [{ describedObject: { kind: 'Ingress', name: 'main' }, timestamp, value: '250' }],
    [OUTSIDE]: [{ value: '100' }, { value: '80' }],
  });
  const atMs = Date.parse(timestamp);
  expect(metrics.ofPods(RPS)).toEqual({ value: [{ pod: 'web-1', atMs, windowMs: 30_000, value: 12_500n }] });
  expect(metrics.ofObject(RPS, MAIN)).toEqual({ value: 250_000n });
  expect(metrics.external(QUEUE)).toEqual({ value: [100_000n, 80_000n] });
});

it('an adapter that has no value says why', async () => {
  const metrics = await adapters(BOTH, { [OBJECT]: [] });
  expect(metrics.ofPods(RPS)).toEqual({ error: `no metric at ${PODS}` });
  const error = 'the custom metrics API server returned 0 results when we asked for exactly one';
  expect(metrics.ofObject(RPS, MAIN)).toEqual({ error });
});

it('without adapters, metrics have the errors of a cluster', async () => {
  const metrics = await adapters([], {});
  expect(metrics.ofPods(RPS)).toEqual({ error: 'no custom metrics API (custom.metrics.k8s.io) registered' });
  const error = 'the server could not find the requested resource (get queue.external.metrics.k8s.io)';
  expect(metrics.external(QUEUE)).toEqual({ error });
});
