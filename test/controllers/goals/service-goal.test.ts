import { expect, it } from 'vitest';
import type { StoredService } from '../../../src/api/base/objects.ts';
import type { StoredEndpointSlice } from '../../../src/api/workloads/endpoint-slices.ts';
import { unservedServices } from '../../../src/controllers/goals/service-goal.ts';
import { webPod } from '../../print/pods.ts';

const pod = webPod({ metadata: { labels: { app: 'web' } } });
const PORTS = [{ name: 'http', port: 80 }];

function service(spec: object = {}): StoredService {
  const metadata = { name: 'web', namespace: 'default' };
  return { metadata, spec: { selector: { app: 'web' }, ports: PORTS, ...spec } } as unknown as StoredService;
}

function slice(ready: boolean, ports: readonly object[] = PORTS): StoredEndpointSlice {
  const metadata = { name: 'web-x', namespace: 'default', labels: { 'kubernetes.io/service-name': 'web' } };
  return { metadata, ports, endpoints: [{ conditions: { ready } }] } as unknown as StoredEndpointSlice;
}

it.each<[what: string, StoredService, StoredEndpointSlice[], found: boolean[]]>([
  ['a ready endpoint', service(), [slice(true)], []],
  ['one of several slices', service(), [slice(false), slice(true)], []],
  ['no ready endpoint', service(), [slice(false)], [false]],
  ['no slice yet', service(), [], [false]],
  ['an endpoint without its port', service(), [slice(true, [])], [true]],
  ['a headless Service without ports', service({ ports: [] }), [slice(true, [])], []],
  ['a selector of no Pod', service({ selector: { app: 'other' } }), [], []],
  ['no selector', service({ selector: undefined }), [], []],
])('%s', (_what, one, slices, found) => {
  expect(unservedServices([one], slices, [pod]).map(({ lacksPorts }) => lacksPorts)).toEqual(found);
});
