import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../src/api/base/objects.ts';
import { fieldHasNoEffect } from '../../src/lifecycle/texts/podrun-events.ts';
import { formatFieldError } from '../../src/manifest/base/field-error.ts';
import {
  groupFieldsWithoutEffect,
  groupIgnoredFields,
  refusedFields,
  unenforcedPaths,
  withoutEffectErrors,
} from '../../src/manifest/support/find-fields.ts';
import { container, created, object, pod, podOf, template } from './objects.ts';

const refused = (given: KubeObject): string[] => refusedFields(created(given)).map(formatFieldError);
const ignored = (given: KubeObject): string[] => groupFieldsWithoutEffect(created(given)).flatMap(({ paths }) => paths);

describe('what this runner refuses', () => {
  const NO = 'Forbidden: not supported by this runner:';

  it.each([
    {
      spec: { volumes: [{ name: 'v', nfs: { server: 's', path: '/' } }] },
      want: ['volumes[0].nfs', 'volume type nfs is not available here'],
    },
    { spec: { resourceClaims: [{ name: 'gpu' }] }, want: ['resourceClaims', 'there are no devices to claim'] },
    {
      spec: { initContainers: [container({ volumeDevices: [{ name: 'd', devicePath: '/d' }] })] },
      want: ['initContainers[0].volumeDevices', 'there are no block devices'],
    },
  ])('$want', ({ spec, want: [path, reason] }) => {
    expect(refused(pod(spec))).toEqual([`spec.${path}: ${NO} ${reason}`]);
    const inTemplate = refused(object('Deployment', { spec: { template: template(spec) } }));
    expect(inTemplate).toEqual([`spec.template.spec.${path}: ${NO} ${reason}`]);
    // A client of `podrun serve` can store it: the Pod has an event for it then.
    const event = { paths: [`spec.${path}`], note: reason };
    expect(groupIgnoredFields(created(pod(spec)), { hasNamespaces: true, hasPodNetwork: true })).toContainEqual(event);
  });

  it('is not what it honours', () => {
    const volumes = [
      { name: 'a' },
      { name: 'b', hostPath: { path: '/' } },
      { name: 'c', configMap: { name: 'c' } },
      { name: 'd', secret: { secretName: 's' } },
      { name: 'e', persistentVolumeClaim: { claimName: 'c' } },
    ];
    expect(refused(pod({ volumes, os: { name: 'windows' } }))).toEqual([]);
    expect(refused({ apiVersion: 'v1', kind: 'ConfigMap', metadata: {} })).toEqual([]);
  });
});

describe('what this runner takes without effect', () => {
  it('is nothing in a plain Pod, and nothing that is a default or empty', () => {
    const spec = {
      dnsPolicy: 'Default',
      nodeSelector: { 'kubernetes.io/os': 'linux' },
      tolerations: [],
      affinity: {},
      hostUsers: true,
      automountServiceAccountToken: false,
      volumes: [{ name: 'v', emptyDir: { medium: '' } }],
      securityContext: { seccompProfile: { type: 'Unconfined' }, runAsNonRoot: true },
      containers: [
        container({
          ports: [{ containerPort: 80, hostPort: 80 }],
          resources: { requests: { cpu: '1' } },
          volumeMounts: [{ name: 'v', mountPath: '/v', readOnly: false, mountPropagation: 'None' }],
          securityContext: { privileged: false, allowPrivilegeEscalation: true, capabilities: {} },
        }),
      ],
    };
    expect(ignored(pod())).toEqual([]);
    expect(ignored(pod(spec))).toEqual([]);
  });

  it('is named field by field, list items included', () => {
    const fields = {
      ports: [{ containerPort: 80 }, { containerPort: 81, hostPort: 8081 }],
    };
    const spec = { schedulerName: 'mine' };
    expect(ignored(podOf(fields, spec))).toEqual(['spec.schedulerName', 'spec.containers[0].ports[1].hostPort']);
  });

  it('is a warning for safety fields', () => {
    const securityContext = { appArmorProfile: { type: 'RuntimeDefault' }, procMount: 'Unmasked' } as const;
    expect(unenforcedPaths(created(podOf({ securityContext }, { affinity: { nodeAffinity: {} } })))).toEqual([
      'spec.containers[0].securityContext.appArmorProfile.type',
    ]);
  });

  it('has one where containers have views of their own', () => {
    const container = { volumeMounts: [{ name: 'v', mountPath: '/v', readOnly: true }] };
    const spec = { hostAliases: [{ ip: '10.0.0.1', hostnames: ['db'] }], dnsPolicy: 'None', schedulerName: 'mine' };
    const given = created(podOf(container, { ...spec, volumes: [{ name: 'v', emptyDir: {} }] }));
    expect(groupFieldsWithoutEffect(given).map(({ paths }) => paths[0])).toEqual([
      'spec.dnsPolicy',
      'spec.schedulerName',
      'spec.hostAliases',
      'spec.containers[0].volumeMounts[0].readOnly',
    ]);
    expect(groupIgnoredFields(given, { hasNamespaces: true }).map(({ paths }) => paths[0])).toEqual([
      'spec.schedulerName',
    ]);
    expect([false, true].map((hasNamespaces) => unenforcedPaths(given, { hasNamespaces }).length)).toEqual([1, 0]);
    expect([false, true].map((hasNamespaces) => withoutEffectErrors(given, { hasNamespaces }).length)).toEqual([4, 1]);
  });

  it('is no token that the API server mounts read-only', () => {
    const mount = { name: 'kube-api-access-x7k2p', mountPath: '/var/run/secrets/kubernetes.io/serviceaccount' };
    const volumeMounts = [{ ...mount, readOnly: true }];
    const given = created(podOf({ volumeMounts }, { volumes: [{ name: mount.name, emptyDir: {} }] }));
    expect(groupFieldsWithoutEffect(given)).toEqual([]);
  });

  it.each([
    ['kernel.shm_rmid_forced', [true, false, true, false]],
    ['kernel/shm_rmid_forced', [true, false, true, false]],
    ['net.ipv4.tcp_syncookies', [true, true, false, false]],
    // The Pod does not run with it, as under a kubelet.
    ['kernel.sem', [false, false, false, false]],
  ])('is no sysctl of a namespace that the Pod has: %s', (name, want) => {
    const given = created(pod({ securityContext: { sysctls: [{ name, value: '1' }] } }));
    const isolations = [
      {},
      { hasNamespaces: true },
      { hasPodNetwork: true },
      { hasNamespaces: true, hasPodNetwork: true },
    ];
    expect(isolations.map((isolation) => groupIgnoredFields(given, isolation).length > 0)).toEqual(want);
    expect(refused(pod({ securityContext: { sysctls: [{ name, value: '1' }] } }))).toEqual([]);
  });

  it('has no port of the host where the Pod has a network of its own', () => {
    const given = created(podOf({ ports: [{ containerPort: 80, hostPort: 8080, hostIP: '127.0.0.1' }] }));
    const refusedPaths = (hasPodNetwork: boolean) =>
      withoutEffectErrors(given, { hasPodNetwork }).map(({ path }) => path);
    expect(refusedPaths(false)).toEqual(['spec.containers[0].ports[0].hostPort', 'spec.containers[0].ports[0].hostIP']);
    expect(refusedPaths(true)).toEqual([]);
  });

  it('has a reason each', () => {
    const spec = { dnsConfig: { searches: ['a'] }, schedulerName: 'mine' };
    const messages = groupFieldsWithoutEffect(created(pod(spec))).map((field) => fieldHasNoEffect(field).message);
    expect(messages).toEqual([
      'spec.dnsConfig: containers use the resolver of the host',
      'spec.schedulerName: there is one scheduler',
    ]);
  });
});
