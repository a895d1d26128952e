import { expect, it, onTestFinished, vi } from 'vitest';
import { deletePod } from '../../src/apiserver/deletion/delete-pod.ts';
import { Run } from '../../src/engine/run/run.ts';
import { UNWATCHED } from '../../src/engine/run/run-input.ts';
import type { AgentSettings } from '../../src/settings/agent-settings.ts';
import { deleteObject } from '../../src/apiserver/deletion/delete-object.ts';
import { resourceTypeOf } from '../../src/api/resource-types.ts';
import type { KubeObject, StoredKubeObject, StoredPod } from '../../src/api/base/objects.ts';
import { SystemClock } from '../../src/clock.ts';
import { openStore, temporaryFolder } from '../store/temporary-store.ts';
import { PATIENT } from '../patience.ts';

const settings = {
  images: { commandLine: [], configFile: [] },
  imageSource: 'host',
  runtimeHandlers: {},
  hostEnv: {},
  crashLoop: { initialMs: 10_000, maxMs: 300_000 },
  jobBackOff: { initialMs: 10_000, maxMs: 300_000 },
  nodeLabels: {},
  nodeTaints: [],
  podPidsLimit: undefined,
  features: { tier: 'process', namespaces: undefined },
} as unknown as AgentSettings;

it('an agent of a server forgets Pods and workloads that are removed', async () => {
  const store = openStore(temporaryFolder());
  const clock = new SystemClock();
  const pods = await Run.start({
    objects: { pods: [], workloads: [] },
    nodes: [],
    settings: () => settings,
    store,
    clock,
    isServing: true,
    owner: { command: 'serve' },
    listener: { ...UNWATCHED, onTrouble: () => undefined },
  });
  onTestFinished(() => pods.close());
  // Such a Pod waits to be scheduled: no process starts.
  const spec = { schedulingGates: [{ name: 'acme.io/wait' }], containers: [{ name: 'main', image: 'busybox' }] };
  const pod = pods.startPod({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web' }, spec });
  const template = { metadata: { labels: { app: 'a' } }, spec };
  const workload = store.create<KubeObject>('replicasets', {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: { name: 'set' },
    spec: { replicas: 0, selector: { matchLabels: { app: 'a' } }, template },
  }) as StoredKubeObject;
  pods.took(workload);
  expect([pods.agent.hasPod(pod.metadata.uid), pods.roots.length]).toEqual([true, 1]);
  const at = { store, clock, graceSeconds: undefined };
  await deletePod({ ...at, namespace: 'default', name: 'web' });
  await deleteObject(at, { type: resourceTypeOf(workload), namespace: 'default', name: 'set' });
  await vi.waitFor(() => expect([pods.agent.pods, pods.roots, pods.allPods]).toEqual([[], [], []]), PATIENT);
});

it('a run whose Pod another process changes at its very beginning is not over', async () => {
  const folder = temporaryFolder();
  const store = openStore(folder);
  const spec = { schedulingGates: [{ name: 'acme.io/wait' }], containers: [{ name: 'main', image: 'busybox' }] };
  const written = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web', namespace: 'default' }, spec };
  const object = { ...written, status: { phase: 'Pending' } } as unknown as StoredPod;
  const label = (): unknown =>
    openStore(folder).change<StoredPod>('pods', object.metadata, 'object', ({ metadata, ...rest }) => ({
      ...rest,
      metadata: { ...metadata, labels: { tier: 'front' } },
    }));
  const run = await Run.start({
    objects: { pods: [{ object, written, file: 'web.yaml' }], workloads: [] },
    nodes: [],
    settings: () => settings,
    store,
    clock: new SystemClock(),
    owner: { command: 'apply' },
    listener: {
      ...UNWATCHED,
      onTrouble: () => undefined,
      // The run has told of its Pod, and is about to take it.
      onPod: ({ type }) => void (type === 'ADDED' && label()),
    },
  });
  onTestFinished(() => run.end({ force: true }));
  const ends = [run.isOver];
  run.follow({ changed: () => ends.push(run.isOver) });
  await vi.waitFor(() => expect(run.pods[0]?.metadata.labels).toEqual({ tier: 'front' }), PATIENT);
  expect(ends).not.toContain(true);
});
