import { describe, expect, it } from 'vitest';
import { applyDefaults } from '../../src/manifest/default/index.ts';
import { container, object, pod, podOf, template } from './objects.ts';

const specOf = (given: Parameters<typeof applyDefaults>[0]): unknown => applyDefaults(given)['spec'];

const CONTAINER = {
  ...container(),
  imagePullPolicy: 'IfNotPresent',
  terminationMessagePath: '/dev/termination-log',
  terminationMessagePolicy: 'File',
  resources: {},
};
const SPEC = {
  restartPolicy: 'Always',
  dnsPolicy: 'ClusterFirst',
  schedulerName: 'default-scheduler',
  terminationGracePeriodSeconds: 30,
  securityContext: {},
};

describe('the smallest Pod', () => {
  it('gets all that a cluster adds, and a template the same without the service links', () => {
    expect(applyDefaults(pod())).toEqual({
      ...pod(),
      spec: { ...SPEC, containers: [CONTAINER], enableServiceLinks: true },
    });
    const fields = { spec: { template: template() } };
    expect(specOf(object('ReplicaSet', fields))).toEqual({
      replicas: 1,
      template: { metadata: { labels: { app: 'demo' } }, spec: { ...SPEC, containers: [CONTAINER] } },
    });
  });

  it('may have no spec and no metadata at all', () => {
    expect(applyDefaults({ apiVersion: 'v1', kind: 'Pod' } as never)).toMatchObject({ metadata: {}, spec: SPEC });
  });

  it('keeps given values', () => {
    const said = { ...SPEC, restartPolicy: 'Never', terminationGracePeriodSeconds: 0, enableServiceLinks: false };
    expect(specOf(pod({ ...said, containers: [CONTAINER] }))).toEqual({ ...said, containers: [CONTAINER] });
  });

  it('treats empty text as unset', () => {
    expect(specOf(podOf({ imagePullPolicy: '' }, { restartPolicy: '', dnsPolicy: '' }))).toMatchObject({
      ...SPEC,
      containers: [CONTAINER],
    });
  });
});

describe('containers', () => {
  it.each([
    { field: 'ports', given: [{ containerPort: 80 }], want: [{ containerPort: 80, protocol: 'TCP' }] },
    {
      field: 'livenessProbe',
      given: { httpGet: { port: 80 }, periodSeconds: 0, initialDelaySeconds: 5 },
      want: {
        httpGet: { port: 80, path: '/', scheme: 'HTTP' },
        initialDelaySeconds: 5,
        timeoutSeconds: 1,
        periodSeconds: 10,
        successThreshold: 1,
        failureThreshold: 3,
      },
    },
    {
      field: 'lifecycle',
      given: { preStop: { httpGet: { port: 'http', scheme: 'HTTPS' } }, postStart: { exec: {} } },
      want: { preStop: { httpGet: { port: 'http', path: '/', scheme: 'HTTPS' } }, postStart: { exec: {} } },
    },
    {
      field: 'env',
      given: [
        { name: 'A', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
        { name: 'B', valueFrom: { resourceFieldRef: { resource: 'limits.cpu', divisor: '0.001' } } },
        { name: 'C', valueFrom: { fileKeyRef: { key: 'k' } } },
      ],
      want: [
        { name: 'A', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' } } },
        { name: 'B', valueFrom: { resourceFieldRef: { resource: 'limits.cpu', divisor: '1m' } } },
        { name: 'C', valueFrom: { fileKeyRef: { key: 'k', optional: false } } },
      ],
    },
  ])('$field', ({ field, given, want }) => {
    expect(specOf(podOf({ [field]: given }))).toMatchObject({ containers: [{ [field]: want }] });
    const init = pod({ initContainers: [container({ [field]: given })] });
    expect(specOf(init)).toMatchObject({ initContainers: [{ [field]: want }] });
  });

  it('request what they are limited to, in Pods only', () => {
    const resources = { limits: { cpu: '0.5', memory: '1024Mi' }, requests: { memory: '0.0001' } };
    const canonical = { limits: { cpu: '500m', memory: '1Gi' }, requests: { memory: '1m' } };
    const requests = { cpu: '500m', memory: '1m' };
    expect(specOf(podOf({ resources }))).toMatchObject({ containers: [{ resources: { ...canonical, requests } }] });
    const fields = { spec: { template: template({ containers: [container({ resources })] }) } };
    const inTemplate = specOf(object('DaemonSet', fields)) as { template: { spec: { containers: object[] } } };
    expect(inTemplate.template.spec.containers).toEqual([{ ...CONTAINER, resources: canonical }]);
  });

  it('on the network of the host have its ports, in Pods only', () => {
    const spec = { hostNetwork: true, containers: [container({ ports: [{ containerPort: 80 }] })] };
    expect(specOf(pod(spec))).toMatchObject({ containers: [{ ports: [{ containerPort: 80, hostPort: 80 }] }] });
    const inTemplate = specOf(object('ReplicaSet', { spec: { template: template(spec) } }));
    expect(inTemplate).toMatchObject({ template: { spec: { containers: [{ ports: [{ protocol: 'TCP' }] }] } } });
    expect(JSON.stringify(inTemplate)).not.toContain('hostPort');
  });
});

describe('resources of a Pod', () => {
  it('are requested as its containers request together, else as they are limited', () => {
    const initContainers = [
      container({ name: 'side', restartPolicy: 'Always', resources: { requests: { cpu: '100m' } } }),
      container({ name: 'init', resources: { requests: { cpu: '2', 'ephemeral-storage': '1Gi' } } }),
    ];
    const spec = { initContainers, resources: { limits: { cpu: '4', memory: '1Gi' } } };
    expect(specOf(podOf({ resources: { requests: { cpu: '1' } } }, spec))).toMatchObject({
      resources: { limits: { cpu: '4', memory: '1Gi' }, requests: { cpu: '2100m', memory: '1Gi' } },
    });
  });

  it('stay unsaid without a limit', () => {
    const given = podOf({ resources: { requests: { cpu: '1' } } }, { resources: { requests: { memory: '1Gi' } } });
    expect(specOf(given)).toMatchObject({ resources: { requests: { memory: '1Gi' } } });
    expect(JSON.stringify(specOf(given))).toContain('"resources":{"requests":{"memory":"1Gi"}}');
  });
});

describe('volumes', () => {
  it.each([
    { given: {}, want: { emptyDir: {} } },
    { given: { emptyDir: { sizeLimit: '1024Ki' } }, want: { emptyDir: { sizeLimit: '1Mi' } } },
    { given: { hostPath: { path: '/' } }, want: { hostPath: { path: '/', type: '' } } },
    { given: { secret: { secretName: 's' } }, want: { secret: { secretName: 's', defaultMode: 420 } } },
    { given: { configMap: { name: 'c', defaultMode: 0 } }, want: { configMap: { name: 'c', defaultMode: 0 } } },
    {
      given: { downwardAPI: { items: [{ path: 'a', fieldRef: { fieldPath: 'metadata.uid' } }] } },
      want: {
        downwardAPI: {
          defaultMode: 420,
          items: [{ path: 'a', fieldRef: { fieldPath: 'metadata.uid', apiVersion: 'v1' } }],
        },
      },
    },
    {
      given: { projected: { sources: [{ serviceAccountToken: { path: 't' } }] } },
      want: {
        projected: { defaultMode: 420, sources: [{ serviceAccountToken: { path: 't', expirationSeconds: 3600 } }] },
      },
    },
    { given: { image: { reference: 'a' } }, want: { image: { reference: 'a', pullPolicy: 'Always' } } },
    {
      given: { ephemeral: { volumeClaimTemplate: { spec: { resources: { requests: { storage: '1024Mi' } } } } } },
      want: {
        ephemeral: {
          volumeClaimTemplate: { spec: { volumeMode: 'Filesystem', resources: { requests: { storage: '1Gi' } } } },
        },
      },
    },
  ])('$given', ({ given, want }) => {
    expect(specOf(pod({ volumes: [{ name: 'v', ...given }] }))).toMatchObject({ volumes: [{ name: 'v', ...want }] });
  });
});

describe('accounts', () => {
  it.each([
    { given: { serviceAccount: 'a' }, want: 'a' },
    { given: { serviceAccountName: 'a', serviceAccount: 'b' }, want: 'a' },
  ])('have one name in two fields: $given', ({ given, want }) => {
    expect(specOf(pod(given))).toMatchObject({ serviceAccountName: want, serviceAccount: want });
  });
});
