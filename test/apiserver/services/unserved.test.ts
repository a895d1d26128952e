import { expect, it } from 'vitest';
import type { StoredKubeObject, StoredPod } from '../../../src/api/base/objects.ts';
import { podRoot } from '../../../src/lifecycle/requests/root.ts';
import { unservedLines } from '../../../src/apiserver/services/unserved.ts';
import { ManualClock } from '../../../src/simulation/manual-clock.ts';
import { MemoryStore } from '../../../src/simulation/memory-store.ts';

const WEB = { namespace: 'default', name: 'web' };
const LABELS = { app: 'web' };

function objectOf(kind: string, part: object, labels: object = LABELS): StoredKubeObject {
  return { apiVersion: 'v1', kind, metadata: { ...WEB, uid: kind, labels }, ...part } as unknown as StoredKubeObject;
}

it.each<[what: string, isReady: boolean, areServicesCurrent: boolean, want: string[]]>([
  ['no Pod is ready', false, true, ['service/web: no endpoint is ready']],
  [
    'connections do not reach the Pods yet',
    true,
    false,
    ['service/web: its address does not lead to its endpoints yet'],
  ],
  ['connections reach the Pods', true, true, []],
])('lines about Services when %s', (_what, isReady, areServicesCurrent, want) => {
  const store = new MemoryStore(new ManualClock(0));
  store.create('services', objectOf('Service', { spec: { selector: LABELS, ports: [{ port: 80 }] } }));
  const endpoints = [{ addresses: ['127.1.2.3'], conditions: { ready: isReady } }];
  const slice = { addressType: 'IPv4', ports: [{ port: 8080 }], endpoints };
  store.create('endpointslices', objectOf('EndpointSlice', slice, { 'kubernetes.io/service-name': 'web' }));
  const pod = objectOf('Pod', { spec: { containers: [] }, status: { phase: 'Running' } }) as unknown as StoredPod;
  expect(unservedLines(store, [WEB], [podRoot(pod)], { areServicesCurrent })).toEqual(want);
});
