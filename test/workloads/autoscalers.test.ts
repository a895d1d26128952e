import { describe, expect, it } from 'vitest';
import type { KubeObject, StoredAutoscaler, StoredEvent, StoredPod } from '../../src/api/index.ts';
import type { AutoscalerApi } from '../../src/apiserver/index.ts';
import type { UsageSample } from '../../src/controllers/horizontal-pod-autoscaler/model.ts';
import { asCreated } from '../../src/manifest/default/created.ts';
import { applyDefaults } from '../../src/manifest/index.ts';
import { ManualClock } from '../../src/simulation/manual-clock.ts';
import { MemoryStore } from '../../src/simulation/memory-store.ts';
import { WorkloadLoop } from '../../src/workloads/index.ts';

const START_MS = Date.parse('2026-11-29T12:00:00Z');
const template = {
  metadata: { labels: { app: 'web' } },
  spec: { containers: [{ name: 'app', image: 'app', resources: { requests: { cpu: '100m' } } }] },
};

/** The loop of an agent over a store in memory. The test says what each Pod uses. */
class ScaledWorld {
  readonly clock = new ManualClock(START_MS);
  readonly store = new MemoryStore(this.clock);
  readonly events: string[] = [];
  /** The use of each Pod in thousandths of a core. */
  cpuMillis = 50n;
  api: AutoscalerApi | undefined;
  #asked = 0;
  readonly loop = new WorkloadLoop({
    store: this.store,
    clock: this.clock,
    nodes: () => [{ name: 'node-1', labels: {}, taints: [], allocatable: {}, hostIPs: ['127.0.0.1'] }],
    timeZone: () => 'UTC',
    suffix: () => `${(this.#made += 1)}`.padStart(5, 'x'),
    newUid: () => `made-${(this.#made += 1)}`,
    claim: () => () => undefined,
    runsPod: () => false,
    startPod: (pod) => this.store.create<StoredPod>('pods', readySince(pod)),
    deletePod: ({ metadata }) => void this.store.delete('pods', metadata.namespace, metadata.name),
    usage: {
      ask: () => void (this.#asked += 1),
      samplesOf: (pods) => pods.map((pod) => this.#sampleOf(pod)),
      current: Promise.resolve(),
    },
    autoscalerApi: () => this.api,
    onObject: () => undefined,
    onEvent: ({ object }) => this.#heard(object),
    onTurn: () => undefined,
    onTrouble: (error) => {
      throw error;
    },
  });
  #made = 0;

  get wasAsked(): boolean {
    return this.#asked > 0;
  }

  create(resource: string, kind: string, apiVersion: string, spec: object): void {
    const object = { apiVersion, kind, metadata: { name: 'web', namespace: 'default' }, spec };
    const stored = this.store.create(resource, asCreated(applyDefaults(object), () => kind) as never);
    if (kind === 'Deployment') this.loop.add(stored, () => undefined);
    else this.loop.followServices('default');
  }

  /** A Deployment with an autoscaler. */
  scaled(replicas: number, spec: object): this {
    this.create('deployments', 'Deployment', 'apps/v1', {
      replicas,
      selector: { matchLabels: { app: 'web' } },
      template,
    });
    this.create('horizontalpodautoscalers', 'HorizontalPodAutoscaler', 'autoscaling/v2', {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
      metrics: [
        { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } } },
      ],
      ...spec,
    });
    return this;
  }

  async after(seconds: number): Promise<this> {
    await this.clock.run(seconds * 1000);
    return this;
  }

  get replicas(): number | undefined {
    return this.store.get<{ metadata: never; spec: { replicas: number } }>('deployments', 'default', 'web')?.spec
      .replicas;
  }

  get autoscaler(): StoredAutoscaler | undefined {
    return this.store.get<StoredAutoscaler>('horizontalpodautoscalers', 'default', 'web');
  }

  #sampleOf({ metadata }: StoredPod): UsageSample {
    const atMs = this.clock.now().wallMs;
    return {
      pod: metadata.name,
      atMs,
      windowMs: 15_000,
      containers: [{ name: 'app', usage: { cpu: this.cpuMillis } }],
    };
  }

  #heard({ reason, message, involvedObject }: StoredEvent): void {
    if (involvedObject.kind === 'HorizontalPodAutoscaler') this.events.push(`${reason} ${message}`);
  }
}

/** A Pod that was ready long ago: its start does not count. */
function readySince(pod: KubeObject): StoredPod {
  const long = new Date(START_MS - 3_600_000).toISOString();
  const conditions = [{ type: 'Ready', status: 'True', lastTransitionTime: long }];
  return { ...pod, status: { phase: 'Running', startTime: long, conditions } } as unknown as StoredPod;
}

describe('an autoscaler of this agent', () => {
  it('brings a workload to its least replicas at once, and looks at metrics after its period only', async () => {
    const world = new ScaledWorld().scaled(1, { minReplicas: 2, maxReplicas: 10 });
    await world.after(0.001);
    expect([world.replicas, world.wasAsked]).toEqual([2, true]);
    expect(world.events).toEqual([
      'SuccessfulRescale New size: 2; reason: Current number of replicas below Spec.MinReplicas',
    ]);
    await world.after(14);
    expect(world.autoscaler?.status?.currentMetrics).toBeNull();
  });

  it('doubles the Pods that use twice their target, and says so in status and events', async () => {
    const world = new ScaledWorld().scaled(2, { maxReplicas: 10 });
    world.cpuMillis = 100n;
    await world.after(15);
    expect(world.replicas).toBe(4);
    expect(world.events).toEqual([
      'SuccessfulRescale New size: 4; reason: cpu resource utilization (percentage of request) above target',
    ]);
    expect(world.autoscaler?.status).toMatchObject({ currentReplicas: 2, desiredReplicas: 4 });
    await world.after(15);
    expect(world.replicas).toBe(8);
  });

  it('waits for the window of five minutes before it scales down', async () => {
    const world = new ScaledWorld().scaled(4, { maxReplicas: 10 });
    world.cpuMillis = 0n;
    // The first look, after 15 s, remembers the four.
    await world.after(315);
    expect(world.replicas).toBe(4);
    await world.after(15);
    expect(world.replicas).toBe(1);
  });

  it('says that its target does not exist', async () => {
    const world = new ScaledWorld();
    world.create('horizontalpodautoscalers', 'HorizontalPodAutoscaler', 'autoscaling/v2', {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'web' },
      maxReplicas: 2,
    });
    await world.after(15);
    expect(world.events).toEqual(['FailedGetScale the server could not find the requested resource']);
  });

  it('scales an object of a custom kind that an API server serves', async () => {
    const world = new ScaledWorld();
    const written: number[] = [];
    const scale = { replicas: 5, statusReplicas: 5, selector: 'app=web' };
    world.api = {
      otherMetrics: () => Promise.reject(new Error('no metric needs it')),
      customTarget: (group, kind) =>
        group === 'shop.io' && kind === 'Shirt'
          ? { value: { object: {} as never, scale, rescale: (replicas) => void written.push(replicas) } }
          : undefined,
    };
    world.create('horizontalpodautoscalers', 'HorizontalPodAutoscaler', 'autoscaling/v2', {
      scaleTargetRef: { apiVersion: 'shop.io/v1', kind: 'Shirt', name: 'web' },
      maxReplicas: 2,
    });
    await world.after(1);
    expect(written).toEqual([2]);
    expect(world.autoscaler?.status).toMatchObject({ currentReplicas: 5, desiredReplicas: 2 });
  });

  it('is at rest when the agent stops', async () => {
    const world = new ScaledWorld().scaled(2, { maxReplicas: 10 });
    world.cpuMillis = 100n;
    world.loop.stop();
    await world.after(60);
    expect(world.replicas).toBe(2);
  });
});
