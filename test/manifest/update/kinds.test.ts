import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../src/api/base/objects.ts';
import { decodeChanged } from '../../../src/manifest/update/index.ts';
import { container, object, pod, template } from '../objects.ts';
import { changed, outcomeOf, respecified, stored, type Fields } from './changes.ts';

const config = (fields: Fields): KubeObject => object('ConfigMap', { apiVersion: 'v1', ...fields });
const secret = (fields: Fields): KubeObject => object('Secret', { apiVersion: 'v1', ...fields });
const SEALED = 'Forbidden: field is immutable when `immutable` is set';

describe('metadata', () => {
  const old = stored(config({ data: { a: '1' } }));
  const renamed = (metadata: Fields): KubeObject => changed(old, { metadata: { ...old.metadata, ...metadata } });

  it('is free where it is not fixed, and raises no generation', () => {
    const metadata = { labels: { a: 'b' }, annotations: { c: 'd' }, finalizers: ['x/y'] };
    expect(outcomeOf(old, renamed(metadata))).toEqual(renamed(metadata));
  });

  const selector = { matchLabels: { app: 'demo' } };
  const deployment = object('Deployment', { apiVersion: 'apps/v1', spec: { selector, template: template({}) } });
  const slice = object('EndpointSlice', { apiVersion: 'discovery.k8s.io/v1', addressType: 'IPv4', endpoints: [] });
  it.each<[KubeObject, Fields, number]>([
    [deployment, { metadata: { labels: { a: 'b' } } }, 1],
    [deployment, { metadata: { annotations: { a: 'b' } } }, 2],
    [slice, { metadata: { annotations: { a: 'b' } } }, 1],
    [slice, { metadata: { labels: { a: 'b' } } }, 2],
    [slice, { endpoints: [{ addresses: ['192.0.2.1'] }] }, 2],
  ])('and other fields are counted as a kind does: $0.kind, $1', (given, { metadata, ...fields }, generation) => {
    const before = { ...given, metadata: { ...given.metadata, generation: 1 } };
    const old = stored(before);
    const after = changed(old, { ...fields, metadata: { ...old.metadata, ...(metadata as object) } });
    expect(outcomeOf(old, after)).toMatchObject({ metadata: { generation } });
  });

  it.each<[Fields, string]>([
    [{ name: 'other' }, 'metadata.name: Invalid value: "other": field is immutable'],
    [{ namespace: 'other' }, 'metadata.namespace: Invalid value: "other": field is immutable'],
    [{ uid: 'v' }, 'metadata.uid: Invalid value: "v": field is immutable'],
    [
      { deletionTimestamp: '2026-01-02T00:00:00Z' },
      'metadata.deletionTimestamp: Invalid value: "2026-01-02T00:00:00Z": field is immutable',
    ],
    [
      { labels: { 'a b': '' } },
      'metadata.labels: Invalid value: "a b": name part must consist of alphanumeric characters, ' +
        "'-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  " +
        "or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
    ],
  ])('may not get %j', (metadata, line) => {
    expect(outcomeOf(old, renamed(metadata))).toEqual([line]);
  });

  it('gets no new finalizers while the object goes away', () => {
    const going = renamed({ deletionTimestamp: '2026-01-02T00:00:00Z', finalizers: ['x/a'] });
    const more = changed(going, { metadata: { ...going.metadata, finalizers: ['x/a', 'x/c', 'x/b'] } });
    expect(outcomeOf(going, more)).toEqual([
      'metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, ' +
        'found new finalizers []string{"x/b", "x/c"}',
    ]);
    const fewer = changed(going, { metadata: { ...going.metadata, finalizers: [] } });
    expect(outcomeOf(going, fewer)).toMatchObject({
      metadata: { finalizers: [], deletionTimestamp: '2026-01-02T00:00:00Z' },
    });
  });

  it('says of what kind the object is, for good', () => {
    expect(outcomeOf(old, changed(old, { kind: 'Secret' }))).toContain(
      'kind: Invalid value: "Secret": field is immutable',
    );
  });
});

interface Case {
  readonly what: string;
  readonly before: KubeObject;
  readonly after: Fields;
  /** Empty for an accepted change. */
  readonly lines?: readonly string[];
}

const linesOf = (outcome: KubeObject | string[]): string[] => (Array.isArray(outcome) ? outcome : []);

describe('configuration', () => {
  const cases: Case[] = [
    { what: 'other data', before: config({ data: { a: '1' } }), after: { data: { b: '2' } } },
    { what: 'a seal', before: config({ data: { a: '1' } }), after: { immutable: true } },
    {
      what: 'labels behind a seal',
      before: config({ immutable: true }),
      after: { metadata: { name: 'demo', namespace: 'default', labels: { a: 'b' } } },
    },
    {
      what: 'other data behind a seal',
      before: config({ immutable: true, data: { a: '1' } }),
      after: { data: { a: '' } },
      lines: [`data: ${SEALED}`],
    },
    {
      what: 'other bytes behind a seal',
      before: config({ immutable: true }),
      after: { binaryData: { a: 'AA==' } },
      lines: [`binaryData: ${SEALED}`],
    },
    {
      what: 'a broken seal and other data',
      before: config({ immutable: true, data: { a: '1' } }),
      after: { immutable: false, data: {} },
      lines: [`immutable: ${SEALED}`, `data: ${SEALED}`],
    },
    { what: 'other secrets', before: secret({ data: { a: 'MQ==' } }), after: { stringData: { b: '2' } } },
    {
      what: 'other secrets behind a seal',
      before: secret({ immutable: true, data: { a: 'MQ==' } }),
      after: { stringData: { a: '2' } },
      lines: [`data: ${SEALED}`],
    },
    {
      what: 'another type of secret',
      before: secret({ type: 'x/a' }),
      after: { type: undefined },
      lines: ['type: Invalid value: "Opaque": field is immutable'],
    },
  ];

  it.each(cases)('$what', ({ before, after, lines }) => {
    const old = stored(before);
    const outcome = outcomeOf(old, changed(old, after));
    expect(linesOf(outcome)).toEqual(lines ?? []);
  });
});

describe('workloads', () => {
  const selector = { matchLabels: { app: 'demo' } };
  const workload = (kind: string, fields: Fields = {}): KubeObject =>
    object(kind, { spec: { selector, template: template(), ...fields } });
  const wider = {
    selector: { matchLabels: { app: 'demo', tier: 'web' } },
    template: { ...template(), metadata: { labels: { app: 'demo', tier: 'web' } } },
  };
  const onlyTheseFields =
    "spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', " +
    "'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' " +
    'are forbidden';
  const jobTemplate = (image: string): Fields => ({
    spec: { restartPolicy: 'Never', containers: [container({ image })] },
  });
  const job = (fields: Fields): KubeObject => object('Job', { spec: { template: jobTemplate('a:1'), ...fields } });
  const placed = {
    restartPolicy: 'Never',
    nodeSelector: { disk: 'ssd' },
    tolerations: [{ operator: 'Exists' }],
    affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{}] } } },
    containers: [container({ image: 'a:1', resources: { requests: { cpu: '1' } } })],
  };
  const indexed = { completionMode: 'Indexed', completions: 2, parallelism: 2 };
  const claim = (storage: string): KubeObject =>
    object('PersistentVolumeClaim', {
      apiVersion: 'v1',
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage } } },
    });

  const csi = { driver: 'd', volumeHandle: 'h' };
  const volume = (source: Fields): KubeObject =>
    object('PersistentVolume', {
      apiVersion: 'v1',
      spec: { accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' }, ...source },
    });
  const otherSource = [
    'spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is immutable after creation',
  ];
  const keys = { name: 's', namespace: 'n' };

  it('lets a volume get a secret to enlarge it with', () => {
    const before = stored(volume({ csi }));
    const after = respecified(before, { csi: { ...csi, controllerExpandSecretRef: keys } });
    expect(outcomeOf(before, after)).toEqual(after);
  });

  const cases: Case[] = [
    { what: 'another driver', before: volume({ csi }), after: { csi: { ...csi, driver: 'e' } }, lines: otherSource },
    {
      what: 'another server',
      before: volume({ nfs: { server: 's', path: '/a' } }),
      after: { nfs: { server: 's', path: '/b' } },
      lines: otherSource,
    },
    {
      what: 'another secret',
      before: volume({ csi: { ...csi, controllerExpandSecretRef: keys } }),
      after: { csi: { ...csi, controllerExpandSecretRef: { ...keys, name: 't' } } },
      lines: otherSource,
    },
    ...['Deployment', 'ReplicaSet', 'DaemonSet'].flatMap((kind): Case[] => [
      {
        what: `another template of a ${kind}`,
        before: workload(kind),
        after: { template: template({ hostname: 'h' }) },
      },
      {
        what: `another selector of a ${kind}`,
        before: workload(kind),
        after: wider,
        lines: ['spec.selector: Invalid value: {"matchLabels":{"app":"demo","tier":"web"}}: field is immutable'],
      },
    ]),
    {
      what: 'what a StatefulSet lets change',
      before: workload('StatefulSet'),
      after: { replicas: 3, minReadySeconds: 1, ordinals: { start: 1 }, template: template({ hostname: 'h' }) },
    },
    {
      what: 'the policy of a StatefulSet',
      before: workload('StatefulSet'),
      after: { podManagementPolicy: 'Parallel' },
      lines: [onlyTheseFields],
    },
    {
      what: 'the later course of a Job',
      before: job({}),
      after: { parallelism: 3, suspend: true, activeDeadlineSeconds: 9, backoffLimit: 1 },
    },
    {
      what: 'a suspended Job gets another place',
      before: job({ suspend: true }),
      after: { template: { ...jobTemplate('a:1'), spec: placed } },
    },
    {
      what: 'a running Job does not',
      before: job({}),
      after: { template: { ...jobTemplate('a:1'), spec: placed } },
      lines: ['spec.template: Invalid value: field is immutable'],
    },
    {
      what: 'what a suspended Job runs',
      before: job({ suspend: true }),
      after: { template: jobTemplate('a:2') },
      lines: ['spec.template: Invalid value: field is immutable'],
    },
    {
      what: 'all of a ReplicationController',
      before: workload('ReplicationController', { selector: { app: 'demo' } }),
      after: { replicas: 2, selector: { b: 'c' }, template: { ...template(), metadata: { labels: { b: 'c' } } } },
    },
    {
      what: 'a PodDisruptionBudget',
      before: object('PodDisruptionBudget', { spec: { minAvailable: 1 } }),
      after: { minAvailable: undefined, maxUnavailable: '50%' },
    },
    {
      what: 'what a Job runs',
      before: job({}),
      after: { template: jobTemplate('a:2'), completionMode: 'Indexed', completions: 1 },
      lines: [
        'spec.template: Invalid value: field is immutable',
        'spec.completionMode: Invalid value: "Indexed": field is immutable',
      ],
    },
    { what: 'an Indexed Job that grows', before: job(indexed), after: { completions: 3, parallelism: 3 } },
    {
      what: 'an Indexed Job that grows alone',
      before: job(indexed),
      after: { completions: 3 },
      lines: ['spec.completions: Invalid value: 3: can only be modified in tandem with spec.parallelism'],
    },
    {
      what: 'what a claim asks for',
      before: claim('1Gi'),
      after: { resources: { requests: { storage: '2Gi' } } },
      lines: [
        'spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClassName ' +
          'for bound claims\n  spec.resources.requests[storage]: "1Gi" -> "2Gi"',
      ],
    },
  ];

  it('a bound claim asks for no less than it has', () => {
    const bound = { ...stored(claim('2Gi')), status: { phase: 'Bound' } };
    const asking = (storage: string): string[] =>
      linesOf(outcomeOf(bound, respecified(bound, { resources: { requests: { storage } } })));
    // Its storage class may refuse this.
    expect(asking('3Gi')).toEqual([]);
    expect(asking('1Gi')).toEqual([
      'spec.resources.requests.storage: Forbidden: field can not be less than status.capacity',
    ]);
  });

  it.each(cases)('$what', ({ before, after, lines }) => {
    const old = stored(before);
    const outcome = outcomeOf(old, respecified(old, after));
    expect(linesOf(outcome)).toEqual(lines ?? []);
    expect(Array.isArray(outcome) ? undefined : outcome.metadata.generation).toBe(lines === undefined ? 2 : undefined);
  });
});

describe('limits', () => {
  it('the value of a PriorityClass stays', () => {
    const old = stored(object('PriorityClass', { value: 1 }));
    expect(outcomeOf(old, changed(old, { value: 2, preemptionPolicy: 'Never' }))).toEqual([
      'value: Forbidden: may not be changed in an update.',
      'preemptionPolicy: Invalid value: "Never": field is immutable',
    ]);
    expect(outcomeOf(old, changed(old, { description: 'low' }))).toMatchObject({ description: 'low' });
  });

  it('the handler of a RuntimeClass stays', () => {
    const old = stored(object('RuntimeClass', { handler: 'process' }));
    expect(outcomeOf(old, changed(old, { handler: 'namespace' }))).toEqual([
      'handler: Invalid value: "namespace": field is immutable',
    ]);
  });

  it('the scopes of a quota stay, its limits do not', () => {
    const old = stored(object('ResourceQuota', { spec: { hard: { pods: '1' }, scopes: ['BestEffort'] } }));
    expect(outcomeOf(old, respecified(old, { scopes: ['Terminating'] }))).toEqual([
      'spec.scopes: Invalid value: ["Terminating"]: field is immutable',
    ]);
    expect(outcomeOf(old, respecified(old, { hard: { pods: '2' } }))).toMatchObject({ spec: { hard: { pods: '2' } } });
  });

  it('the data of a ControllerRevision stay, and a PodTemplate counts its changes', () => {
    const revision = stored(object('ControllerRevision', { data: { a: 1 }, revision: 1 }));
    expect(outcomeOf(revision, changed(revision, { data: { a: 2 }, revision: 2 }))).toEqual([
      'data: Invalid value: {"a":2}: field is immutable',
    ]);
    const made = stored(object('PodTemplate', { template: template() }));
    expect(outcomeOf(made, changed(made, { template: template({ hostname: 'h' }) }))).toMatchObject({
      metadata: { generation: 2 },
    });
  });
});

describe('what a patch has made', () => {
  const old = stored(pod());

  it('is read as an object of its kind', () => {
    const odd = changed(old, { metadata: { ...old.metadata, labels: null }, status: { hostIP: null } });
    expect(decodeChanged(odd, old)).toEqual({ object: { ...old, status: {} }, errors: [], unknown: [] });
  });

  it('may have wrong types and unknown fields', () => {
    const odd = respecified(old, { restartPolicy: 5, contaners: [] });
    const { errors, unknown, object: read } = decodeChanged(odd, old);
    expect(errors).toMatchObject([{ path: 'spec.restartPolicy', detail: 'expected string, got number' }]);
    expect(unknown).toMatchObject([{ detail: 'unknown field "spec.contaners"', hint: 'did you mean "containers"?' }]);
    expect(read).toEqual(respecified(old, { restartPolicy: undefined }));
  });

  it('may be too deep', () => {
    const deep: unknown = JSON.parse(`${'{"a":'.repeat(200)}1${'}'.repeat(200)}`);
    expect(() => decodeChanged(respecified(old, { deep }), old)).toThrow(/^Error from server \(BadRequest\): .*deep/);
  });

  it('may have lost its metadata', () => {
    const { object: read } = decodeChanged(changed(old, { metadata: undefined }), old);
    expect(outcomeOf(old, read)).toContain('metadata.name: Required value: name or generateName is required');
  });
});
