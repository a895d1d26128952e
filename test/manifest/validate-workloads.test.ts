import { describe, expect, it } from 'vitest';
import { fitted, linesOf, object, template } from './objects.ts';

const workload = (kind: string, spec: object): string[] =>
  linesOf(object(kind, { spec: { selector: { matchLabels: { app: 'demo' } }, template: template(), ...spec } })).map(
    (line) => line.replace(/^spec\./, ''),
  );

describe('all workloads', () => {
  const KINDS = ['Deployment', 'ReplicaSet', 'StatefulSet', 'DaemonSet'];

  it.each([
    { matchExpressions: [{ key: 'app', operator: 'In', values: ['demo', 'x'] }] },
    { matchExpressions: [{ key: 'app', operator: 'Exists' }] },
    { matchExpressions: [{ key: 'tier', operator: 'DoesNotExist' }] },
    { matchExpressions: [{ key: 'tier', operator: 'NotIn', values: ['x'] }] },
  ])('choose their own Pods by %j', (selector) => {
    for (const kind of KINDS) expect({ [kind]: workload(kind, { selector }) }).toEqual({ [kind]: [] });
  });

  it.each([
    { matchExpressions: [{ key: 'app', operator: 'NotIn', values: ['demo'] }] },
    { matchExpressions: [{ key: 'constructor', operator: 'Exists' }] },
    { matchLabels: { app: 'demo', tier: 'x' } },
  ])('do not choose them by %j', (selector) => {
    const line = 'template.metadata.labels: Invalid value: {"app":"demo"}: `selector` does not match template `labels`';
    for (const kind of KINDS) expect({ [kind]: workload(kind, { selector }) }).toEqual({ [kind]: [line] });
  });

  it.each([
    { kind: 'Deployment', named: 'ReplicaSet' },
    { kind: 'ReplicaSet', named: 'ReplicaSet' },
    { kind: 'StatefulSet', named: 'StatefulSet' },
    { kind: 'DaemonSet', named: 'DaemonSet' },
  ])('$kind: Pods run for ever', ({ kind, named }) => {
    const ending = template({ restartPolicy: 'Never', activeDeadlineSeconds: 1 });
    expect(workload(kind, { template: ending })).toEqual([
      'template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"',
      `template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in ${named} is not Supported`,
    ]);
  });

  it('report bad labels of the template beside its metadata', () => {
    const bad = { ...template(), metadata: { labels: { app: 'demo', 'a b': 'c' }, annotations: { '': 'x' } } };
    expect(workload('ReplicaSet', { template: bad }).map((line) => line.slice(0, 40))).toEqual([
      'template.labels: Invalid value: "a b": n',
      'template.annotations: Invalid value: "":',
      'template.annotations: Invalid value: "":',
    ]);
  });
});

describe('a ReplicationController', () => {
  const controller = (spec: object): string[] =>
    linesOf(object('ReplicationController', { spec })).map((line) => line.replace(/^spec\./, ''));

  it.each([
    { name: 'a template alone', spec: { template: template() }, want: [] },
    {
      name: 'a foreign selector and Pods that end',
      spec: {
        selector: { app: 'other' },
        replicas: -1,
        template: template({ restartPolicy: 'Never', activeDeadlineSeconds: 1 }),
      },
      want: [
        'replicas: Invalid value: -1: must be greater than or equal to 0',
        'template.metadata.labels: Invalid value: {"app":"demo"}: `selector` does not match template `labels`',
        'template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"',
        'template.spec.activeDeadlineSeconds: Forbidden: ' +
          'activeDeadlineSeconds in ReplicationController is not Supported',
      ],
    },
    { name: 'nothing', spec: {}, want: ['selector: Required value', 'template: Required value'] },
  ])('with $name', ({ spec, want }) => {
    expect(controller(spec)).toEqual(want);
  });
});

describe('a PodTemplate', () => {
  it('has the rules of a Pod', () => {
    expect(linesOf(object('PodTemplate', { template: template() }))).toEqual([]);
    expect(linesOf(object('PodTemplate', { template: { spec: { containers: [] } } }))).toEqual([
      'template.spec.containers: Required value',
    ]);
  });
});

describe('a ControllerRevision', () => {
  it('has data', () => {
    expect(linesOf(object('ControllerRevision', { data: {}, revision: 1 }))).toEqual([]);
    expect(linesOf(object('ControllerRevision', { revision: -1 }))).toEqual([
      'data: Required value: data is mandatory',
      'revision: Invalid value: -1: must be greater than or equal to 0',
    ]);
  });
});

describe('rolling updates', () => {
  it.each([
    {
      kind: 'Deployment',
      update: { maxUnavailable: '0%', maxSurge: 0 },
      want: [/maxUnavailable: .*may not be 0 when `maxSurge` is 0$/],
    },
    {
      kind: 'Deployment',
      update: { maxUnavailable: '101%' },
      want: [/maxUnavailable: .*must not be greater than 100%$/],
    },
    { kind: 'Deployment', update: { maxUnavailable: -1 }, want: [/must be greater than or equal to 0$/] },
    {
      kind: 'DaemonSet',
      update: { maxUnavailable: 0 },
      want: [/maxUnavailable: Required value: cannot be 0 when maxSurge is 0$/],
    },
    {
      kind: 'DaemonSet',
      update: { maxUnavailable: 1, maxSurge: '10%' },
      want: [/maxSurge: .*may not be set when maxUnavailable is non-zero$/],
    },
    { kind: 'DaemonSet', update: { maxUnavailable: 0, maxSurge: '10%' }, want: [] },
    { kind: 'StatefulSet', update: { partition: -1 }, want: [/partition: .*must be greater than or equal to 0$/] },
    { kind: 'StatefulSet', update: { maxUnavailable: 2 }, want: [] },
  ])('of a $kind with $update', ({ kind, update, want }) => {
    const field = kind === 'Deployment' ? 'strategy' : 'updateStrategy';
    const lines = workload(kind, { [field]: { type: 'RollingUpdate', rollingUpdate: update } });
    expect(fitted(lines, want)).toEqual(want);
  });

  it.each([
    {
      kind: 'Deployment',
      field: 'strategy',
      want: /^strategy: Unsupported value: .*: supported values: "Recreate", "Rolling/,
    },
    {
      kind: 'DaemonSet',
      field: 'updateStrategy',
      want: /^updateStrategy: Unsupported value: .*"RollingUpdate", "OnDelete"$/,
    },
    {
      kind: 'StatefulSet',
      field: 'updateStrategy',
      want: /^updateStrategy: .*: must be 'RollingUpdate' or 'OnDelete'$/,
    },
  ])('or another way that a $kind does not know', ({ kind, field, want }) => {
    expect(workload(kind, { [field]: { type: 'Magic' } })).toEqual([expect.stringMatching(want)]);
  });
});

describe('StatefulSets', () => {
  it('keep or delete their claims', () => {
    const persistentVolumeClaimRetentionPolicy = { whenDeleted: 'Sell', whenScaled: 'Delete' };
    expect(workload('StatefulSet', { persistentVolumeClaimRetentionPolicy })).toEqual([
      'persistentVolumeClaimRetentionPolicy.whenDeleted: Unsupported value: "Sell": ' +
        'supported values: "Retain", "Delete"',
    ]);
  });
});

describe('Deployments', () => {
  it('give up later than a Pod needs to be ready', () => {
    expect(workload('Deployment', { minReadySeconds: 600 })).toEqual([
      'progressDeadlineSeconds: Invalid value: 600: must be greater than minReadySeconds',
    ]);
  });
});
