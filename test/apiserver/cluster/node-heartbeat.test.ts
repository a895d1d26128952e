import { hostname } from 'node:os';
import { describe, expect, it } from 'vitest';
import type { KubeObject, Node, StoredEvent, StoredKubeObject } from '../../../src/api/index.ts';
import type { ServerContext } from '../../../src/apiserver/base/context.ts';
import { keepNodeHeartbeat, NodeHeartbeat } from '../../../src/apiserver/cluster/node-heartbeat.ts';
import { withClusterObjects } from '../../../src/apiserver/objects/cluster-objects.ts';
import { nodeFields } from '../../../src/apiserver/objects/node-object.ts';
import { registeredNode, reportPressure } from '../../../src/settings/index.ts';
import { ManualClock } from '../../../src/simulation/manual-clock.ts';
import { MemoryStore } from '../../../src/simulation/memory-store.ts';

const NAME = hostname().trim().toLowerCase();
const LEASES = 'kube-node-lease';
const TEN_SECONDS = 10_000;

function newCluster() {
  const clock = new ManualClock(Date.UTC(2026, 0, 1, 10));
  const store = Object.assign(new MemoryStore(clock), { root: '/' });
  registeredNode(store, { name: NAME, labels: {} });
  const writes: string[] = [];
  for (const resource of ['leases', 'nodes', 'events'])
    store.watch<StoredKubeObject>(resource, {}, ({ type, object }) => writes.push(`${type} ${object.kind}`));
  const get = (resource: string, namespace: string | undefined, name: string): KubeObject | undefined =>
    store.get(resource, namespace ?? 'default', name);
  const reports: string[] = [];
  const report = (text: string): void => void reports.push(text);
  const context = { store, clock, objects: { get }, report } as unknown as ServerContext;
  const begin = (): { close: () => void } => keepNodeHeartbeat(context);
  return { clock, store, writes, begin, reports };
}

/** The times of the heartbeats that a client reads, of all conditions. */
function heartbeats({ store, clock }: ReturnType<typeof newCluster>): string[] {
  const nowMs = clock.now().wallMs;
  const { status } = nodeFields(store, { stateDir: '/', nowMs, since: '2026-01-01T10:00:00Z' });
  return [...new Set((status.conditions ?? []).map(({ lastHeartbeatTime }) => lastHeartbeatTime ?? ''))];
}

it('a Lease is renewed every ten seconds, and the status every five minutes', () => {
  const cluster = newCluster();
  const { clock, store, writes, begin } = cluster;
  const heartbeat = begin();
  expect(store.get(`leases`, LEASES, NAME)).toMatchObject({
    metadata: {
      ownerReferences: [{ kind: 'Node', name: NAME, uid: store.get('nodes', 'default', NAME)?.metadata.uid }],
    },
    spec: { holderIdentity: NAME, leaseDurationSeconds: 40, renewTime: '2026-01-01T10:00:00.000000Z' },
  });
  expect(heartbeats(cluster)).toEqual(['2026-01-01T10:00:00.000000Z']);
  writes.length = 0;
  clock.advance(29 * TEN_SECONDS);
  expect(new Set(writes)).toEqual(new Set(['MODIFIED Lease']));
  expect(writes).toHaveLength(29);
  expect(store.get('leases', LEASES, NAME)).toMatchObject({ spec: { renewTime: '2026-01-01T10:04:50.000000Z' } });
  expect(heartbeats(cluster)).toEqual(['2026-01-01T10:00:00.000000Z']);
  clock.advance(TEN_SECONDS);
  expect(heartbeats(cluster)).toEqual(['2026-01-01T10:05:00.000000Z']);
  writes.length = 0;
  heartbeat.close();
  clock.advance(TEN_SECONDS * 60);
  expect(writes).toEqual([]);
  // Without a server, readers see the present time.
  expect(heartbeats(cluster)).toEqual(['2026-01-01T10:15:00.000000Z']);
});

it('another process may make the Lease at the same moment', () => {
  const { store, begin, reports } = newCluster();
  const create = store.create.bind(store);
  store.create = (resource, object) => {
    if (resource === 'leases') create(resource, object);
    return create(resource, object);
  };
  begin().close();
  expect(store.list('leases')).toHaveLength(1);
  expect(reports).toEqual([]);
});

it('the start of the node has its Events', () => {
  const { store, begin } = newCluster();
  const events: string[] = [];
  store.watch<StoredEvent>('events', {}, ({ object: { source, reason, message } }) => {
    events.push(`${source?.component} ${reason}: ${message}`);
  });
  begin().close();
  expect(events).toEqual([
    'kubelet Starting: Starting kubelet.',
    `kubelet NodeHasSufficientMemory: Node ${NAME} status is now: NodeHasSufficientMemory`,
    `kubelet NodeHasNoDiskPressure: Node ${NAME} status is now: NodeHasNoDiskPressure`,
    `kubelet NodeHasSufficientPID: Node ${NAME} status is now: NodeHasSufficientPID`,
    'kubelet NodeAllocatableEnforced: Updated Node Allocatable limit across pods',
    `node-controller RegisteredNode: Node ${NAME} event: Registered Node ${NAME} in Controller`,
    `kubelet NodeReady: Node ${NAME} status is now: NodeReady`,
  ]);
});

it('the heartbeat of a node that was silent says again what it lacks', () => {
  const { store, begin } = newCluster();
  const at = { lastHeartbeatTime: '2026-01-01T08:00:00Z', lastTransitionTime: '2026-01-01T09:00:00Z' };
  const types = ['MemoryPressure', 'DiskPressure', 'PIDPressure', 'NetworkUnavailable', 'Ready'];
  const conditions = types.map((type) => ({ type, status: 'Unknown', reason: 'NodeStatusUnknown', ...at }));
  const key = { namespace: 'default', name: NAME };
  store.change<Node & StoredKubeObject>('nodes', key, 'status', (node) => ({ ...node, status: { conditions } }));
  begin().close();
  const { status } = store.get<Node & KubeObject>('nodes', 'default', NAME) ?? {};
  expect(
    status?.conditions?.map(({ type, status: now, lastTransitionTime: time }) => `${type} ${now} ${time}`),
  ).toEqual([
    'MemoryPressure False 2026-01-01T10:00:00.000000Z',
    'DiskPressure False 2026-01-01T10:00:00.000000Z',
    'PIDPressure False 2026-01-01T10:00:00.000000Z',
    'NetworkUnavailable Unknown 2026-01-01T09:00:00Z',
    'Ready True 2026-01-01T10:00:00.000000Z',
  ]);
});

describe('a node that is called lost while its kubelet lives', () => {
  function callLost({ store }: ReturnType<typeof newCluster>): void {
    const key = { namespace: 'default', name: NAME };
    store.change<Node & StoredKubeObject>('nodes', key, 'status', ({ status, ...node }) => {
      const conditions = (status?.conditions ?? []).map((one) => ({ ...one, status: 'Unknown' }));
      return { ...node, status: { ...status, conditions } };
    });
  }
  const readyOf = ({ store }: ReturnType<typeof newCluster>): string | undefined =>
    store.get<Node & KubeObject>('nodes', 'default', NAME)?.status?.conditions?.find(({ type }) => type === 'Ready')
      ?.status;

  it('is Ready with the next renewal of its Lease, and has an Event', () => {
    const cluster = newCluster();
    cluster.begin();
    cluster.writes.length = 0;
    callLost(cluster);
    expect(readyOf(cluster)).toBe('Unknown');
    cluster.clock.advance(TEN_SECONDS);
    expect(readyOf(cluster)).toBe('True');
    expect(cluster.writes).toEqual(['MODIFIED Node', 'MODIFIED Lease', 'MODIFIED Node', 'MODIFIED Event']);
    cluster.clock.advance(TEN_SECONDS);
    expect(cluster.writes.slice(4)).toEqual(['MODIFIED Lease']);
  });

  it('stays unready when it shuts down', () => {
    const cluster = newCluster();
    const heartbeat = new NodeHeartbeat(NAME, { ...cluster, report: (text) => expect.fail(text) });
    heartbeat.shutDown();
    callLost(cluster);
    cluster.writes.length = 0;
    cluster.clock.advance(TEN_SECONDS * 31);
    expect(readyOf(cluster)).toBe('Unknown');
    expect(new Set(cluster.writes)).toEqual(new Set(['MODIFIED Lease']));
  });
});

it('the command line knows the uid of the node, which Events of its controller name', () => {
  const { store, clock } = newCluster();
  const seen = withClusterObjects(store, { stateDir: '/', nowMs: clock.now().wallMs }).get('nodes', 'default', NAME);
  expect(seen?.metadata.uid).toBe(store.get('nodes', 'default', NAME)?.metadata.uid);
});

it('a report of pressure keeps the heartbeat and the conditions of other programs', () => {
  const { store, clock, begin } = newCluster();
  const conditionsOf = (): string[] =>
    (store.get<Node & KubeObject>('nodes', 'default', NAME)?.status?.conditions ?? []).map(({ type }) => type);
  begin();
  store.change<Node & StoredKubeObject>('nodes', { namespace: 'default', name: NAME }, 'status', (node) => ({
    ...node,
    status: { ...node.status, conditions: [...(node.status?.conditions ?? []), { type: 'Own', status: 'True' }] },
  }));
  reportPressure(store, clock, NAME, ['DiskPressure']);
  expect(conditionsOf()).toEqual(['MemoryPressure', 'DiskPressure', 'Ready', 'Own']);
});
