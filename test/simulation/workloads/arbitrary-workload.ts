import * as fc from 'fast-check';
import type { JsonObject } from '../../../src/api/base/json.ts';
import { templateOf } from '../../controllers/manifests.ts';
import { arbitraryCronJob, arbitraryJob } from './arbitrary-job.ts';
import { type Draft, isRejected, maybe, scenarioOf } from './arbitrary-happening.ts';
import type { PodProgram, WorkloadScenario } from './workload-scenario.ts';

/** A server: it may crash some times. Then it runs until it is stopped. */
const server: fc.Arbitrary<PodProgram> = fc.record({
  isRejected,
  startDelayMs: fc.nat(2000),
  exitAfterMs: fc.constantFrom(undefined, undefined, undefined, 0, 700, 3000),
  exitCode: fc.constantFrom(0, 1),
  exits: fc.integer({ min: 1, max: 2 }),
  stopsAfterMs: fc.nat(3000),
});
const servers = fc.array(server, { minLength: 1, maxLength: 4 });

const replicas = fc.nat(4);
const version = fc.constantFrom('1', '2', '3');
const minReadySeconds = fc.constantFrom(undefined, undefined, 2);
const scaling = replicas.map((count) => ({ replicas: count }));
const rollout = version.map((of) => ({ template: templateOf(of) as unknown as JsonObject }));
const selector = { matchLabels: { app: 'web' } };
const template = templateOf('1');

const share = fc.oneof(fc.nat(2), fc.constantFrom('0%', '25%', '50%', '100%'));
/** The API server refuses a rollout that could not begin. */
const fenceposts = fc
  .record({ maxSurge: share, maxUnavailable: share })
  .filter(
    ({ maxSurge, maxUnavailable }) => ![maxSurge, maxUnavailable].every((one) => Number.parseInt(`${one}`) === 0),
  );
const rollingUpdate = fenceposts.map((posts) => ({ type: 'RollingUpdate', rollingUpdate: posts }));
const strategy = fc.oneof(
  { weight: 4, arbitrary: rollingUpdate },
  { weight: 1, arbitrary: fc.constant({ type: 'Recreate', rollingUpdate: null }) },
);

const deployment: Draft = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  spec: fc
    .record({
      replicas,
      minReadySeconds,
      strategy,
      revisionHistoryLimit: fc.constantFrom(0, 1, 10),
      progressDeadlineSeconds: fc.constantFrom(600, 3),
    })
    .map(({ strategy: { type, ...rest }, ...spec }) => ({
      selector,
      template,
      ...spec,
      strategy: type === 'Recreate' ? { type } : { type, ...rest },
    })),
  changes: [
    { weight: 4, arbitrary: rollout },
    { weight: 3, arbitrary: scaling },
    { weight: 1, arbitrary: fc.boolean().map((paused) => ({ paused })) },
    { weight: 1, arbitrary: strategy.map((one) => ({ strategy: one })) },
  ],
  programs: servers,
  deletes: ['Pod', 'Pod', 'ReplicaSet'],
  restsWith: { paused: false },
};

const replicaSet = (kind: 'ReplicaSet' | 'ReplicationController'): Draft => ({
  apiVersion: kind === 'ReplicaSet' ? 'apps/v1' : 'v1',
  kind,
  spec: fc
    .record({ replicas, minReadySeconds })
    .map((spec) => ({ selector: kind === 'ReplicaSet' ? selector : selector.matchLabels, template, ...spec })),
  changes: [
    { weight: 3, arbitrary: scaling },
    { weight: 1, arbitrary: rollout },
  ],
  programs: servers,
  deletes: ['Pod'],
  restsWith: {},
});

const partition = fc.constantFrom(0, 0, 0, 1, 2).map((from) => ({
  updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: from } },
}));
const retention = fc.constantFrom('Retain', 'Delete');
const claims = [
  {
    metadata: { name: 'data' },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  },
];
const statefulSet: Draft = {
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  spec: fc
    .record({
      replicas,
      minReadySeconds,
      podManagementPolicy: fc.constantFrom('OrderedReady', 'Parallel'),
      updateStrategy: fc.constantFrom(undefined, undefined, { type: 'OnDelete' }),
      ordinals: fc.constantFrom(undefined, undefined, { start: 2 }),
      volumeClaimTemplates: maybe(fc.constant(claims)),
      persistentVolumeClaimRetentionPolicy: maybe(fc.record({ whenDeleted: retention, whenScaled: retention })),
    })
    .map((spec) => ({ serviceName: 'web', selector, template, ...spec })),
  changes: [
    { weight: 4, arbitrary: rollout },
    { weight: 3, arbitrary: scaling },
    { weight: 1, arbitrary: partition },
  ],
  programs: servers,
  deletes: ['Pod'],
  restsWith: {},
};

const onNode = fc.constantFrom<JsonObject>({ nodeSelector: null }, { nodeSelector: { disk: 'fast' } });
const daemonSet: Draft = {
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  spec: fc
    .record({
      minReadySeconds,
      updateStrategy: fc.constantFrom<JsonObject | undefined>(
        undefined,
        { type: 'OnDelete' },
        { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
      ),
    })
    .map((spec) => ({ selector, template, ...spec })),
  changes: [
    { weight: 3, arbitrary: rollout },
    { weight: 1, arbitrary: onNode.map((spec) => ({ template: { spec } })) },
  ],
  programs: servers,
  deletes: ['Pod'],
  restsWith: { template: { spec: { nodeSelector: null } } },
};

/** Any workload with its Pods, what clients do meanwhile, and agents that die. */
export const arbitraryWorkload: fc.Arbitrary<WorkloadScenario> = fc.oneof(
  { weight: 6, arbitrary: scenarioOf(deployment) },
  { weight: 4, arbitrary: scenarioOf(statefulSet) },
  { weight: 4, arbitrary: scenarioOf(arbitraryJob) },
  { weight: 2, arbitrary: scenarioOf(daemonSet) },
  { weight: 2, arbitrary: scenarioOf(arbitraryCronJob) },
  { weight: 1, arbitrary: scenarioOf(replicaSet('ReplicaSet')) },
  { weight: 1, arbitrary: scenarioOf(replicaSet('ReplicationController')) },
);
