import { expect, it } from 'vitest';
import { neededObjects } from '../../src/manifest/needed-objects.ts';
import { portableObject } from '../../src/remote/pull/portable-object.ts';

const CONTAINER = {
  name: 'app',
  image: 'app:1',
  env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 'login', key: 'a' } } }],
  volumeMounts: [
    { name: 'kube-api-access-x7k2p', mountPath: '/var/run/secrets/kubernetes.io/serviceaccount', readOnly: true },
    { name: 'config', mountPath: '/etc/app' },
  ],
};

/** A Pod as the API of a cluster answers it. */
const POD = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: 'web-7d9f-abcde',
    generateName: 'web-7d9f-',
    namespace: 'shop',
    uid: '1',
    resourceVersion: '7',
    creationTimestamp: '2026-01-01T00:00:00Z',
    labels: { app: 'web', 'pod-template-hash': '7d9f' },
    annotations: { 'kubectl.kubernetes.io/last-applied-configuration': '{}' },
    ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web-7d9f', uid: '2' }],
    managedFields: [],
  },
  spec: {
    nodeName: 'node-1',
    serviceAccount: 'web',
    serviceAccountName: 'web',
    priority: 0,
    preemptionPolicy: 'PreemptLowerPriority',
    tolerations: [{ key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute' }],
    containers: [CONTAINER],
    volumes: [
      { name: 'kube-api-access-x7k2p', projected: { sources: [{ configMap: { name: 'kube-root-ca.crt' } }] } },
      { name: 'config', configMap: { name: 'settings' } },
      { name: 'data', persistentVolumeClaim: { claimName: 'data' } },
    ],
  },
  status: { phase: 'Running' },
};

it('a Pod keeps what its user wrote', () => {
  const { object, leftOut } = portableObject(POD);
  expect(object).toEqual({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web-7d9f-abcde', labels: { app: 'web' } },
    spec: {
      containers: [{ ...CONTAINER, volumeMounts: CONTAINER.volumeMounts.slice(1) }],
      volumes: POD.spec.volumes.slice(1),
    },
  });
  expect(leftOut).toEqual(['serviceAccountName web: its rights come from the cluster']);
});

it('a Job loses the labels and the selector that the API server has made', () => {
  const labels = { 'controller-uid': '3', 'batch.kubernetes.io/job-name': 'once', app: 'once' };
  const spec = {
    selector: { matchLabels: { 'controller-uid': '3' } },
    template: { metadata: { labels, creationTimestamp: null }, spec: { containers: [{ name: 'a', image: 'b' }] } },
  };
  const { object } = portableObject({ apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'once' }, spec });
  expect(object['spec']).toEqual({
    template: { metadata: { labels: { app: 'once' } }, spec: { containers: [{ name: 'a', image: 'b' }] } },
  });
});

it('names what its Pods read, but for what every namespace has', () => {
  expect(neededObjects(portableObject(POD).object).map(({ kind, name }) => `${kind}/${name}`)).toEqual([
    'ConfigMap/settings',
    'PersistentVolumeClaim/data',
    'Secret/login',
  ]);
});
