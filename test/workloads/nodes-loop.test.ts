import { expect, it } from 'vitest';
import { formatTime, type StoredEvent, type StoredPod } from '../../src/api/index.ts';
import type { ClusterNode } from '../../src/controllers/node/model.ts';
import { ManualClock } from '../../src/simulation/manual-clock.ts';
import { MemoryStore } from '../../src/simulation/memory-store.ts';
import { NodesLoop } from '../../src/workloads/nodes-loop.ts';

const LEASES = 'kube-node-lease';

/** A store with nodes whose kubelets renew their Leases every ten seconds, and a loop. */
class Cluster {
  readonly clock = new ManualClock();
  readonly store = new MemoryStore(this.clock);
  readonly deleted: string[] = [];
  readonly troubles: unknown[] = [];
  /** False: another process looks after the nodes. */
  isFree = true;
  claims = 0;
  readonly #silent = new Set<string>();
  readonly loop = this.newLoop();

  constructor(names: readonly string[], machine?: string) {
    this.machine = machine;
    this.store.watch('nodes', {}, () => this.loop.look());
    for (const name of names) this.addNode(name);
    this.#beat();
  }

  readonly machine: string | undefined;

  newLoop(): NodesLoop {
    return new NodesLoop({
      store: this.store,
      clock: this.clock,
      machine: () => this.machine,
      claim: () => {
        this.claims += 1;
        if (!this.isFree) return undefined;
        this.isFree = false;
        return () => (this.isFree = true);
      },
      deletePod: ({ metadata }, grace) => void this.deleted.push(`${metadata.name} ${grace ?? 'own grace'}`),
      onEvent: () => undefined,
      onTrouble: (error) => void this.troubles.push(error),
    });
  }

  addNode(name: string): void {
    this.store.create('nodes', { apiVersion: 'v1', kind: 'Node', metadata: { name } });
    this.#post(name);
  }

  wake(name: string): void {
    this.#silent.delete(name);
    this.#post(name);
  }

  #post(name: string): void {
    const at = formatTime(this.clock.now().wallMs);
    const conditions = [{ type: 'Ready', status: 'True', lastHeartbeatTime: at, lastTransitionTime: at }];
    this.store.change<ClusterNode>('nodes', { namespace: 'default', name }, 'status', (node) => {
      return { ...node, status: { conditions } };
    });
  }

  addPod(name: string, nodeName: string): void {
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec: { nodeName, containers: [] } };
    this.store.create('pods', pod);
    const status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
    this.store.change<StoredPod>('pods', { namespace: 'default', name }, 'status', (stored) => {
      return { ...stored, status } as StoredPod;
    });
  }

  silence(...names: string[]): void {
    for (const name of names) this.#silent.add(name);
  }

  node(name: string): ClusterNode | undefined {
    return this.store.get<ClusterNode>('nodes', 'default', name);
  }

  taintsOf(name: string): string[] {
    return (this.node(name)?.spec?.taints ?? []).map(({ key, effect }) => `${key.split('/')[1]}:${effect}`);
  }

  readyOf(name: string): string | undefined {
    return this.node(name)?.status?.conditions?.find(({ type }) => type === 'Ready')?.status;
  }

  events(): string[] {
    const events = this.store.list<StoredEvent>('events');
    return events.map(({ involvedObject: { kind, name }, reason }) => `${kind}/${name} ${reason}`);
  }

  #beat(): void {
    for (const { metadata } of this.store.list<ClusterNode>('nodes')) {
      const { name } = metadata;
      if (this.#silent.has(name)) continue;
      const lease = { spec: { renewTime: formatTime(this.clock.now().wallMs) } };
      const made = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name, namespace: LEASES } };
      if (this.store.get('leases', LEASES, name) === undefined) this.store.create('leases', { ...made, ...lease });
      else this.store.change('leases', { namespace: LEASES, name }, 'object', (stored) => ({ ...stored, ...lease }));
    }
    this.clock.wakeAt(this.clock.now().monotonicMs + 10_000, () => this.#beat());
  }
}

it('a silent node is unreachable after 50 seconds, its Pods are not ready', () => {
  const cluster = new Cluster(['a', 'b']);
  cluster.addPod('web', 'b');
  cluster.clock.advance(20_000);
  cluster.silence('b');
  cluster.clock.advance(49_000);
  expect(cluster.readyOf('b')).toBe('True');
  cluster.clock.advance(12_000);
  expect(cluster.readyOf('b')).toBe('Unknown');
  expect(cluster.taintsOf('b')).toEqual(['unreachable:NoSchedule', 'unreachable:NoExecute']);
  expect(cluster.store.get<StoredPod>('pods', 'default', 'web')?.status.conditions).toMatchObject([
    { status: 'False' },
  ]);
  expect(cluster.events()).toEqual(expect.arrayContaining(['Node/b NodeNotReady', 'Pod/web NodeNotReady']));
  expect(cluster.readyOf('a')).toBe('True');
});

it('kubelets whose Leases are late with everything else in this process are not silent', () => {
  const cluster = new Cluster(['a', 'b']);
  cluster.clock.advance(20_000);
  cluster.clock.stall(70_000);
  cluster.clock.advance(20_000);
  expect([cluster.readyOf('a'), cluster.readyOf('b')]).toEqual(['True', 'True']);
  expect(cluster.events().join()).not.toContain('NodeNotReady');
});

it('nor are they when a change of a Node is the first thing behind it', () => {
  const cluster = new Cluster(['a', 'b']);
  cluster.clock.advance(20_000);
  cluster.clock.wakeAt(20_001, () => cluster.wake('a'));
  cluster.clock.stall(70_000);
  cluster.clock.advance(20_000);
  expect([cluster.readyOf('a'), cluster.readyOf('b')]).toEqual(['True', 'True']);
  expect(cluster.events().join()).not.toContain('NodeNotReady');
});

it('a node that is back loses its taints, and the second loss has events again', () => {
  const cluster = new Cluster(['a', 'b']);
  cluster.silence('b');
  cluster.clock.advance(70_000);
  cluster.wake('b');
  cluster.clock.advance(6000);
  expect(cluster.taintsOf('b')).toEqual([]);
  cluster.silence('b');
  cluster.clock.advance(70_000);
  expect(cluster.taintsOf('b')).toEqual(['unreachable:NoSchedule', 'unreachable:NoExecute']);
  expect(cluster.events().filter((event) => event === 'Node/b NodeNotReady')).toHaveLength(2);
});

it('this machine beside other nodes is Ready without a Lease, and counts for its zone', () => {
  const cluster = new Cluster(['a'], 'host');
  cluster.silence('a');
  cluster.clock.advance(100_000);
  expect(cluster.taintsOf('a')).toEqual(['unreachable:NoSchedule', 'unreachable:NoExecute']);
  expect(cluster.events()).toEqual(['Node/a RegisteredNode', 'Node/a NodeNotReady']);
});

it('a cordon has its taint at once', () => {
  const cluster = new Cluster(['a', 'b']);
  const key = { namespace: 'default', name: 'a' };
  cluster.store.change<ClusterNode>('nodes', key, 'object', (node) => ({ ...node, spec: { unschedulable: true } }));
  cluster.clock.advance(0);
  expect(cluster.taintsOf('a')).toEqual(['unschedulable:NoSchedule']);
});

it('Pods of a Node that is gone fail and go after 40 seconds, also when this machine is left alone', () => {
  const cluster = new Cluster(['b'], 'host');
  cluster.addPod('web', 'b');
  cluster.clock.advance(30_000);
  cluster.store.delete('nodes', 'default', 'b');
  cluster.clock.advance(65_000);
  expect(cluster.deleted.slice(0, 1)).toEqual(['web 0']);
  expect(cluster.store.get<StoredPod>('pods', 'default', 'web')?.status.phase).toBe('Failed');
  expect(cluster.events()).toContain('Node/b RemovingNode');
});

it('another process takes over when the first one gives the nodes up', () => {
  const cluster = new Cluster(['a', 'b']);
  const second = cluster.newLoop();
  second.look();
  cluster.silence('b');
  cluster.clock.advance(30_000);
  cluster.loop.close();
  cluster.clock.advance(10_000);
  expect(cluster.isFree).toBe(false);
  cluster.clock.advance(60_000);
  expect(cluster.readyOf('b')).toBe('Unknown');
  second.close();
  expect(cluster.isFree).toBe(true);
});

it('a Node that cannot be written to is tried again, once in a period', () => {
  const cluster = new Cluster(['a', 'b']);
  cluster.clock.advance(1000);
  const change = cluster.store.change.bind(cluster.store);
  cluster.store.change = (resource, ...rest) => {
    if (resource === 'nodes') throw new Error('disk full');
    return change(resource, ...rest);
  };
  cluster.silence('b');
  cluster.clock.advance(66_000);
  expect(cluster.troubles).toHaveLength(3);
  expect(cluster.events()).not.toContain('Node/b NodeNotReady');
  cluster.store.change = change;
  cluster.clock.advance(5000);
  expect(cluster.readyOf('b')).toBe('Unknown');
  expect(cluster.events().filter((event) => event === 'Node/b NodeNotReady')).toHaveLength(1);
});
