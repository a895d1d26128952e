import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../src/api/base/objects.ts';
import { droppedFields, prepareForCreate } from '../../src/manifest/default/create.ts';
import { applyDefaults } from '../../src/manifest/default/index.ts';
import { container, created, object, pod, podOf, template } from './objects.ts';

const specOf = (given: KubeObject): unknown => applyDefaults(given)['spec'];

describe('Secrets and ConfigMaps', () => {
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' } };

  it('of text are stored as base64, of base64 as one line', () => {
    const given = { ...secret, data: { a: 'YWJj\nZGVm', b: 'eA==' }, stringData: { b: 'é', c: '' } };
    expect(applyDefaults(given)).toEqual({ ...secret, type: 'Opaque', data: { a: 'YWJjZGVm', b: 'w6k=', c: '' } });
  });
});

describe('Services', () => {
  it.each([
    {
      given: { ports: [{ port: 80 }, { port: 1, targetPort: 'web', protocol: 'UDP' }] },
      want: {
        type: 'ClusterIP',
        sessionAffinity: 'None',
        internalTrafficPolicy: 'Cluster',
        ports: [
          { port: 80, targetPort: 80, protocol: 'TCP' },
          { port: 1, targetPort: 'web', protocol: 'UDP' },
        ],
      },
    },
    {
      given: { type: 'LoadBalancer', sessionAffinity: 'ClientIP', clusterIP: '10.0.0.1' },
      want: {
        type: 'LoadBalancer',
        sessionAffinity: 'ClientIP',
        sessionAffinityConfig: { clientIP: { timeoutSeconds: 10_800 } },
        clusterIP: '10.0.0.1',
        internalTrafficPolicy: 'Cluster',
        externalTrafficPolicy: 'Cluster',
        allocateLoadBalancerNodePorts: true,
      },
    },
    {
      given: { type: 'ClusterIP', externalTrafficPolicy: '' },
      want: { type: 'ClusterIP', sessionAffinity: 'None', internalTrafficPolicy: 'Cluster' },
    },
    {
      given: { type: 'NodePort', externalTrafficPolicy: '' },
      want: {
        type: 'NodePort',
        sessionAffinity: 'None',
        internalTrafficPolicy: 'Cluster',
        externalTrafficPolicy: 'Cluster',
      },
    },
    {
      given: { type: 'ClusterIP', externalIPs: ['192.0.2.1'] },
      want: {
        type: 'ClusterIP',
        externalIPs: ['192.0.2.1'],
        sessionAffinity: 'None',
        internalTrafficPolicy: 'Cluster',
        externalTrafficPolicy: 'Cluster',
      },
    },
    {
      given: { type: 'ExternalName', sessionAffinityConfig: { clientIP: { timeoutSeconds: 1 } } },
      want: { type: 'ExternalName', sessionAffinity: 'None' },
    },
  ])('$given', ({ given, want }) => {
    expect(specOf(object('Service', { spec: given }))).toEqual(want);
  });
});

describe('Jobs', () => {
  const pods = template({ restartPolicy: 'Never' });
  const job = (spec: object, metadata = {}): KubeObject =>
    applyDefaults(object('Job', { spec: { template: pods, ...spec } }, metadata));

  it.each([
    {
      given: {},
      want: { completions: 1, parallelism: 1, backoffLimit: 6, podReplacementPolicy: 'TerminatingOrFailed' },
    },
    { given: { completions: 3 }, want: { completions: 3, parallelism: 1 } },
    { given: { backoffLimitPerIndex: 1 }, want: { backoffLimit: 2 ** 31 - 1 } },
    {
      given: { podFailurePolicy: { rules: [{ onPodConditions: [{ type: 'A' }] }] } },
      want: {
        podReplacementPolicy: 'Failed',
        podFailurePolicy: { rules: [{ onPodConditions: [{ type: 'A', status: 'True' }] }] },
      },
    },
  ])('$given', ({ given, want }) => {
    expect(job(given)['spec']).toMatchObject(want);
  });

  it('of a work queue stay without completions', () => {
    expect(job({ parallelism: 2 })['spec']).not.toHaveProperty('completions');
  });

  it('without labels take the labels of their Pods', () => {
    expect(job({}).metadata).toEqual({ name: 'demo', labels: { app: 'demo' } });
    expect(job({}, { labels: { a: 'b' } }).metadata).toEqual({ name: 'demo', labels: { a: 'b' } });
  });

  it('of a CronJob get their own defaults only when they are made', () => {
    const jobTemplate = { spec: { template: pods } };
    expect(specOf(object('CronJob', { spec: { schedule: '@daily', jobTemplate } }))).toEqual({
      schedule: '@daily',
      concurrencyPolicy: 'Allow',
      suspend: false,
      successfulJobsHistoryLimit: 3,
      failedJobsHistoryLimit: 1,
      jobTemplate: {
        metadata: {},
        spec: {
          template: { metadata: {}, ...pods, spec: expect.objectContaining({ dnsPolicy: 'ClusterFirst' }) as unknown },
        },
      },
    });
  });
});

describe('workloads', () => {
  it.each([
    {
      kind: 'Deployment',
      given: {},
      want: {
        replicas: 1,
        revisionHistoryLimit: 10,
        progressDeadlineSeconds: 600,
        strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%' } },
      },
    },
    {
      kind: 'Deployment',
      given: { strategy: { rollingUpdate: { maxSurge: 0 } } },
      want: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '25%', maxSurge: 0 } } },
    },
    {
      kind: 'StatefulSet',
      given: { volumeClaimTemplates: [{ metadata: { name: 'a' } }] },
      want: {
        replicas: 1,
        revisionHistoryLimit: 10,
        podManagementPolicy: 'OrderedReady',
        updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
        persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' },
        volumeClaimTemplates: [{ metadata: { name: 'a' }, spec: { volumeMode: 'Filesystem' } }],
      },
    },
    {
      kind: 'DaemonSet',
      given: {},
      want: {
        revisionHistoryLimit: 10,
        updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } },
      },
    },
  ])('$kind $given', ({ kind, given, want }) => {
    const spec = specOf(object(kind, { spec: { template: template(), ...given } }));
    expect(spec).toMatchObject(want);
  });

  it.each([
    { kind: 'Deployment', field: 'strategy', type: 'Recreate' },
    { kind: 'StatefulSet', field: 'updateStrategy', type: 'OnDelete' },
    { kind: 'DaemonSet', field: 'updateStrategy', type: 'OnDelete' },
  ])('$kind: $type needs no numbers', ({ kind, field, type }) => {
    expect(specOf(object(kind, { spec: { [field]: { type } } }))).toHaveProperty(field, { type });
  });
});

describe('a ReplicationController', () => {
  const controller = (spec: object, metadata = {}): KubeObject =>
    applyDefaults(object('ReplicationController', { spec }, metadata));

  it('has one replica, and selector and labels of its Pods', () => {
    const made = controller({ template: template() });
    expect(made.metadata.labels).toEqual({ app: 'demo' });
    expect(made['spec']).toMatchObject({ replicas: 1, selector: { app: 'demo' }, template: { spec: {} } });
    expect(made['spec']).toMatchObject({ template: { spec: { dnsPolicy: 'ClusterFirst' } } });
  });

  it('keeps its own', () => {
    const made = controller({ replicas: 0, selector: { a: 'b' }, template: template() }, { labels: { c: 'd' } });
    expect(made).toMatchObject({ metadata: { labels: { c: 'd' } }, spec: { replicas: 0, selector: { a: 'b' } } });
  });
});

describe('limits', () => {
  const itemOf = (item: object): unknown => applyDefaults(object('LimitRange', { spec: { limits: [item] } }))['spec'];

  it.each([
    {
      given: { type: 'Container', max: { cpu: '2.0' }, min: { cpu: '100m', memory: '1024Ki' } },
      want: { default: { cpu: '2' }, defaultRequest: { cpu: '2', memory: '1Mi' } },
    },
    {
      given: { type: 'Container', default: { cpu: 1 }, defaultRequest: { cpu: '0.5' } },
      want: { default: { cpu: '1' }, defaultRequest: { cpu: '500m' } },
    },
    { given: { type: 'Pod', max: { cpu: '2.0' } }, want: { max: { cpu: '2' } } },
  ])('$given', ({ given, want }) => {
    expect(itemOf(given)).toMatchObject({ limits: [want] });
  });

  it('of Pods have no defaults', () => {
    expect(itemOf({ type: 'Pod', max: { cpu: '2' } })).toEqual({ limits: [{ type: 'Pod', max: { cpu: '2' } }] });
  });

  it('of a quota are canonical', () => {
    expect(specOf(object('ResourceQuota', { spec: { hard: { cpu: '0.5' } } }))).toEqual({ hard: { cpu: '500m' } });
  });
});

describe('other kinds', () => {
  it('a PriorityClass preempts', () => {
    expect(applyDefaults(object('PriorityClass', { value: 5 }))).toMatchObject({
      preemptionPolicy: 'PreemptLowerPriority',
    });
  });

  it('the template of a PodTemplate has the defaults of a Pod', () => {
    expect(applyDefaults(object('PodTemplate', { template: template() }))).toMatchObject({
      template: { spec: { restartPolicy: 'Always' } },
    });
  });

  it('namespaces carry their name as a label', () => {
    expect(applyDefaults({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'a', labels: { b: 'c' } } })).toEqual(
      {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name: 'a', labels: { b: 'c', 'kubernetes.io/metadata.name': 'a' } },
      },
    );
  });

  it.each([
    [
      'MutatingWebhookConfiguration',
      { webhooks: [{ name: 'a', clientConfig: { service: { name: 's' } }, rules: [{ resources: ['pods'] }] }] },
      {
        webhooks: [
          {
            name: 'a',
            clientConfig: { service: { name: 's', port: 443 } },
            rules: [{ resources: ['pods'], scope: '*' }],
            matchPolicy: 'Equivalent',
            namespaceSelector: {},
            objectSelector: {},
            failurePolicy: 'Fail',
            timeoutSeconds: 10,
            reinvocationPolicy: 'Never',
          },
        ],
      },
    ],
    [
      'ResourceClaim',
      {
        spec: { devices: { requests: [{ name: 'r', exactly: {} }, { firstAvailable: [{ allocationMode: 'All' }] }] } },
      },
      {
        spec: {
          devices: {
            requests: [
              { name: 'r', exactly: { allocationMode: 'ExactCount', count: 1 } },
              { firstAvailable: [{ allocationMode: 'All' }] },
            ],
          },
        },
      },
    ],
    [
      'HorizontalPodAutoscaler',
      { spec: { metrics: [], minReplicas: 0, behavior: { scaleDown: { selectPolicy: 'Min' } } } },
      {
        spec: {
          metrics: [],
          minReplicas: 0,
          behavior: {
            scaleDown: { selectPolicy: 'Min', policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }] },
            scaleUp: {
              stabilizationWindowSeconds: 0,
              selectPolicy: 'Max',
              policies: [
                { type: 'Pods', value: 4, periodSeconds: 15 },
                { type: 'Percent', value: 100, periodSeconds: 15 },
              ],
            },
          },
        },
      },
    ],
  ])('of the kind %s get the values of the API server', (kind, given, want) => {
    const head = { apiVersion: 'x/v1', kind, metadata: { name: 'a' } };
    expect(applyDefaults({ ...head, ...given })).toEqual({ ...head, ...want });
  });

  it('stay unchanged', () => {
    const given = { apiVersion: 'v1', kind: 'constructor', metadata: { name: 'a' }, spec: { any: [1] } };
    expect(applyDefaults(given)).toEqual(given);
  });
});

describe('a new object', () => {
  it('is the first of its generation and knows nothing of a former life', () => {
    const metadata = { uid: 'u', creationTimestamp: '2026-11-20T20:01:02Z', generation: 7, labels: { a: 'b' } };
    const old = { ...object('ReplicaSet', { spec: {} }, metadata), status: { replicas: 3 } };
    expect(prepareForCreate(old)).toEqual({
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      metadata: { name: 'demo', labels: { a: 'b' }, generation: 1 },
      spec: {},
    });
  });

  it('has no generation when its kind counts none', () => {
    expect(prepareForCreate(object('ConfigMap', { data: {} }, { generation: 7 })).metadata).toEqual({ name: 'demo' });
  });

  it('is the mirror of no static Pod, whatever the manifest of a cluster says', () => {
    const annotations = { 'kubernetes.io/config.mirror': 'abc', 'kubernetes.io/config.hash': 'abc' };
    const given = object('Pod', { spec: { containers: [] } }, { annotations });
    expect(prepareForCreate(given).metadata.annotations).toEqual({ 'kubernetes.io/config.hash': 'abc' });
  });

  it('drops the node that the scheduler of a cluster chose, not one that a user wrote', () => {
    const written = podOf({}, { nodeName: 'node-7' });
    expect(created(written)).toMatchObject({ spec: { nodeName: 'node-7' } });
    const read = { ...written, metadata: { ...written.metadata, uid: 'u' } };
    expect(created(read)['spec'] as object).not.toHaveProperty('nodeName');
  });

  it('is pending, of a QoS class, and gated when it says so', () => {
    expect(created(pod())['status']).toEqual({ phase: 'Pending', qosClass: 'BestEffort' });
    const resources = { limits: { cpu: '1', memory: '1Gi' } };
    expect(created(podOf({ resources }, { schedulingGates: [{ name: 'a.b/c' }] }))['status']).toEqual({
      phase: 'Pending',
      qosClass: 'Guaranteed',
      conditions: [
        {
          type: 'PodScheduled',
          status: 'False',
          lastProbeTime: null,
          lastTransitionTime: null,
          reason: 'SchedulingGated',
          message: 'Scheduling is blocked due to non-empty scheduling gates',
        },
      ],
    });
  });

  it('has at least a second to end; a template says what it wants', () => {
    expect(created(pod({ terminationGracePeriodSeconds: -5 }))['spec']).toMatchObject({
      terminationGracePeriodSeconds: 1,
    });
    const fields = { spec: { template: template({ terminationGracePeriodSeconds: -5 }) } };
    expect(created(object('ReplicaSet', fields))['spec']).toMatchObject({
      template: { spec: { terminationGracePeriodSeconds: -5 } },
    });
  });

  it('loses the fields of features that are off in a workload, too', () => {
    const rollingUpdate = { partition: 1, maxUnavailable: 2 };
    const pods = template({ schedulingGroup: {} });
    const given = object('StatefulSet', { spec: { template: pods, updateStrategy: { rollingUpdate } } });
    expect(droppedFields(given)).toEqual([
      'spec.updateStrategy.rollingUpdate.maxUnavailable',
      'spec.template.spec.schedulingGroup',
    ]);
    const made = prepareForCreate(given);
    expect(droppedFields(made)).toEqual([]);
    expect(made['spec']).toMatchObject({ updateStrategy: { rollingUpdate: { partition: 1 } } });
  });

  it('loses the fields of features that are off, and one can tell which', () => {
    const spec = {
      schedulingGroup: {},
      containers: [container()],
      volumes: [{ name: 'v', projected: { sources: [{ clusterTrustBundle: {} }, { podCertificate: {} }] } }],
    };
    expect(droppedFields(pod(spec))).toEqual([
      'spec.volumes[0].projected.sources[0].clusterTrustBundle',
      'spec.volumes[0].projected.sources[1].podCertificate',
      'spec.schedulingGroup',
    ]);
    const made = created(pod(spec));
    expect(droppedFields(made)).toEqual([]);
    expect(made['spec']).toMatchObject({
      volumes: [{ projected: { sources: [{}, {}] } }],
    });
  });
});
