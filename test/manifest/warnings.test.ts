import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../src/api/base/objects.ts';
import { warningsFor } from '../../src/manifest/warnings/object-warnings.ts';
import { container, created, object, pod, podOf, template } from './objects.ts';

const warned = (given: KubeObject): string[] => warningsFor(created(given));

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';

describe('names', () => {
  it.each([
    { kind: 'Deployment', use: 'Pod names and hostnames' },
    { kind: 'Job', use: 'Pod names and hostnames' },
  ])('of a $kind become part of other names', ({ kind, use }) => {
    expect(warned(object(kind, { spec: { template: template() } }, { name: 'a.b' }))).toEqual([
      `metadata.name: this is used in ${use}, which can result in surprising behavior; ` +
        'a DNS label is recommended: [must not contain dots]',
    ]);
  });

  it('of a ConfigMap do not', () => {
    expect(warned({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a.b' } })).toEqual([]);
  });
});

describe('environment', () => {
  it.each([
    { second: { value: '$(A)/bin' }, warns: false },
    { second: { value: '$(A)' }, warns: true },
    { second: { value: 'x' }, warns: true },
    { second: {}, warns: true },
    { second: { valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }, warns: true },
  ])('A, then A again as $second', ({ second, warns }) => {
    const hides = 'spec.containers[0].env[1]: hides previous definition of "A", which may be dropped when using apply';
    expect(
      warned(
        podOf({
          env: [
            { name: 'A', value: '1' },
            { name: 'A', ...second },
          ],
        }),
      ),
    ).toEqual(warns ? [hides] : []);
  });
});

describe('ports', () => {
  const two = (first: object, second: object): string[] =>
    warned(
      podOf({
        ports: [
          { containerPort: 80, ...first },
          { containerPort: 80, ...second },
        ],
      }),
    ).map((line) => line.replaceAll('spec.containers[0].', ''));

  it.each([
    { first: {}, second: { protocol: 'UDP' }, want: [] },
    { first: { hostPort: 1 }, second: { hostPort: 2 }, want: [] },
    { first: { hostPort: 1 }, second: {}, want: ['ports[1]: overlapping port definition with ports[0]'] },
    {
      first: { hostPort: 1, hostIP: '10.0.0.1' },
      second: { hostPort: 1 },
      want: ['ports[1]: dangerously ambiguous port definition with ports[0]'],
    },
    {
      first: { hostIP: '10.0.0.1', name: 'web' },
      second: { hostPort: 1 },
      want: [
        'ports[0]: hostIP set without hostPort: {Name:web HostPort:0 ContainerPort:80 Protocol:TCP HostIP:10.0.0.1}',
        'ports[1]: overlapping port definition with ports[0]',
      ],
    },
  ])('$first and $second', ({ first, second, want }) => {
    expect(two(first, second)).toEqual(want);
  });

  it('of one name are one for a client that asks for them, where they run together', () => {
    const named = (name: string, containerPort: number, fields = {}): object =>
      container({ name, ports: [{ name: 'http', containerPort }], ...fields });
    expect(warned(pod({ initContainers: [named('init', 1)], containers: [named('app', 2)] }))).toEqual([]);
    expect(
      warned(pod({ initContainers: [named('side', 1, { restartPolicy: 'Always' })], containers: [named('app', 2)] })),
    ).toEqual([
      'spec.containers[0].ports[0]: duplicate port name "http" with spec.initContainers[0].ports[0], ' +
        'services and probes that select ports by name will use spec.initContainers[0].ports[0]',
    ]);
  });
});

describe('volumes', () => {
  it('of the past are named with the date they ended', () => {
    const volumes = [
      { name: 'a', gitRepo: { repository: 'r' } },
      { name: 'b', storageos: { volumeName: 'v' } },
    ];
    expect(warned(pod({ volumes }))).toEqual([
      'spec.volumes[0].gitRepo: deprecated in v1.11, and disabled by default in v1.33+',
      'spec.volumes[1].storageOS: deprecated in v1.22, non-functional in v1.25+',
    ]);
  });

  it.each([
    {
      source: { configMap: { name: 'c', items: [{ path: 'a/b' }, { path: 'a/' }, { path: 'ab' }] } },
      want: ['(ConfigMap "c"): overlapping paths: "a" with "a/b"'],
    },
    {
      source: { secret: { secretName: 's', items: [{ path: 'a' }, { path: 'a' }] } },
      want: ['(Secret "s"): overlapping paths: "a" with "a"'],
    },
    {
      source: { downwardAPI: { items: [{ path: 'a' }, { path: 'a/b' }] } },
      want: ['(DownwardAPI): overlapping paths: "a/b" with "a"'],
    },
    {
      source: {
        projected: {
          sources: [
            { configMap: { name: 'c', items: [{ path: 't' }] } },
            { serviceAccountToken: { path: 't/oken' } },
            {},
          ],
        },
      },
      want: [
        '(Projected) has no sources provided',
        '(Projected): overlapping paths: "t/oken" (ServiceAccountToken) with "t" (ConfigMap "c")',
      ],
    },
  ])('write no file over another: $want', ({ source, want }) => {
    expect(warned(pod({ volumes: [{ name: 'v', ...source }] }))).toEqual(want.map((line) => `volume "v" ${line}`));
  });
});

describe('bytes', () => {
  it('come whole', () => {
    const limits = { cpu: '100m', memory: '100m', 'ephemeral-storage': '1500m' };
    const spec = { initContainers: [container({ name: 'init', resources: { limits } })], overhead: { memory: '0.5' } };
    const fraction = (value: string): string => `fractional byte value "${value}" is invalid, must be an integer`;
    const at = 'spec.initContainers[0].resources';
    expect(warned(pod(spec))).toEqual([
      `spec.overhead[memory]: ${fraction('500m')}`,
      `${at}.limits[memory]: ${fraction('100m')}`,
      `${at}.requests[memory]: ${fraction('100m')}`,
      `${at}.limits[ephemeral-storage]: ${fraction('1500m')}`,
      `${at}.requests[ephemeral-storage]: ${fraction('1500m')}`,
    ]);
  });

  it('of a claim too', () => {
    const spec = { resources: { requests: { storage: '0.5' } } };
    expect(warned({ apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'c' }, spec })).toEqual([
      'spec.resources.requests[storage]: fractional byte value "500m" is invalid, must be an integer',
    ]);
  });
});

describe('placement', () => {
  it('by labels of the past', () => {
    const matchExpressions = [{ key: 'beta.kubernetes.io/os', operator: 'Exists' }];
    const spec = {
      nodeSelector: { 'beta.kubernetes.io/arch': 'amd64' },
      affinity: { nodeAffinity: { [PREFERRED]: [{ weight: 1, preference: { matchExpressions } }] } },
      topologySpreadConstraints: [{ topologyKey: 'failure-domain.beta.kubernetes.io/zone', labelSelector: {} }],
    };
    expect(warned(pod(spec))).toEqual([
      'spec.nodeSelector[beta.kubernetes.io/arch]: deprecated since v1.14; use "kubernetes.io/arch" instead',
      `spec.affinity.nodeAffinity.${PREFERRED}[0].preference.matchExpressions[0].key: ` +
        'beta.kubernetes.io/os is deprecated since v1.14; use "kubernetes.io/os" instead',
      'spec.topologySpreadConstraints[0].topologyKey: failure-domain.beta.kubernetes.io/zone is ' +
        'deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
    ]);
  });

  it('beside no Pod at all', () => {
    const podAffinity = { [REQUIRED]: [{ topologyKey: 'z' }] };
    const podAntiAffinity = { [PREFERRED]: [{ weight: 1, podAffinityTerm: { topologyKey: 'z' } }] };
    const spec = { affinity: { podAffinity, podAntiAffinity }, topologySpreadConstraints: [{ topologyKey: 'z' }] };
    const text = 'labelSelector: a null labelSelector results in matching no pod';
    expect(warned(pod(spec))).toEqual([
      `spec.topologySpreadConstraints[0].${text}`,
      `spec.affinity.podAffinity.${REQUIRED}[0].${text}`,
      `spec.affinity.podAntiAffinity.${PREFERRED}[0].podAffinityTerm.${text}`,
    ]);
  });
});

describe('the rest of a Pod', () => {
  it('twice the same, or nothing', () => {
    const spec = {
      imagePullSecrets: [{ name: 'x' }, { name: 'x' }, {}],
      hostAliases: [{ ip: '127.0.0.1' }, { ip: '127.0.0.1' }],
    };
    expect(warned(pod(spec))).toEqual([
      'spec.hostAliases[1].ip: duplicate ip "127.0.0.1"',
      'spec.imagePullSecrets[1].name: duplicate name "x"',
      'spec.imagePullSecrets[2].name: invalid empty name ""',
    ]);
  });

  it('annotations that became fields, unless the field is set', () => {
    const annotations = {
      'scheduler.alpha.kubernetes.io/critical-pod': '',
      'container.seccomp.security.alpha.kubernetes.io/app': 'x',
      'container.apparmor.security.beta.kubernetes.io/app': 'x',
    };
    expect(warned(pod({}, { annotations }))).toEqual(
      [
        '[scheduler.alpha.kubernetes.io/critical-pod]: ' +
          'non-functional in v1.16+; use the "priorityClassName" field instead',
        '[container.seccomp.security.alpha.kubernetes.io/app]: ' +
          'non-functional in v1.27+; use the "seccompProfile" field instead',
        '[container.apparmor.security.beta.kubernetes.io/app]: ' +
          'deprecated since v1.30; use the "appArmorProfile" field instead',
      ].map((line) => `metadata.annotations${line}`),
    );
    const securityContext = { seccompProfile: { type: 'Unconfined' }, appArmorProfile: { type: 'Unconfined' } };
    const said = { ...podOf({ securityContext }), metadata: { name: 'demo', annotations } };
    expect(warned(said)).toHaveLength(1);
  });

  it('in a template is reported at its path', () => {
    const spec = { template: template({ terminationGracePeriodSeconds: -1, imagePullSecrets: [{}] }) };
    const text = 'must be >= 0; negative values are invalid and will be treated as 1';
    expect(warned(object('DaemonSet', { spec }))).toEqual([
      'spec.template.spec.imagePullSecrets[0].name: invalid empty name ""',
      `spec.template.spec.terminationGracePeriodSeconds: ${text}`,
    ]);
    expect(warned(object('CronJob', { spec: { jobTemplate: { spec } } })).at(-1)).toBe(
      `spec.jobTemplate.spec.template.spec.terminationGracePeriodSeconds: ${text}`,
    );
  });
});

describe('Services', () => {
  const OUTSIDE = 'spec.externalIPs is deprecated and may no longer be implemented in some clusters';
  it.each([
    { spec: { ports: [{ port: 80 }] }, want: [] },
    {
      spec: { clusterIP: 'None', externalIPs: ['1.2.3.4'], loadBalancerIP: '1.2.3.4', sessionAffinity: 'ClientIP' },
      want: [
        ...['loadBalancerIP', 'externalIPs', 'SessionAffinity'].map(
          (field) => `spec.${field} is ignored for headless services`,
        ),
        OUTSIDE,
      ],
    },
    {
      spec: { type: 'ExternalName', externalName: 'a', externalIPs: ['1.2.3.4'] },
      want: ['spec.externalIPs is ignored when spec.type is "ExternalName"', OUTSIDE],
    },
    { spec: { externalName: 'a' }, want: ['spec.externalName is ignored when spec.type is not "ExternalName"'] },
    {
      spec: { trafficDistribution: 'PreferClose' },
      want: ['spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"'],
    },
  ])('$spec', ({ spec, want }) => {
    expect(warned(object('Service', { spec }))).toEqual(want);
  });
});

describe('StatefulSets', () => {
  it('keep a history of some length', () => {
    expect(warned(object('StatefulSet', { spec: { revisionHistoryLimit: -1 } }))).toEqual([
      'spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended',
    ]);
  });
});

it('blocks of IPv6 in unusual form', () => {
  const peer = { ipBlock: { cidr: '2001:DB8:0:0::/32', except: ['2001:db8:1::/48', '2001:db8:0002::/48'] } };
  const spec = { ingress: [{}, { from: [{ podSelector: {} }, peer] }], egress: [{ to: [peer] }] };
  const unusual = (path: string, cidr: string, canonical: string): string =>
    `spec.${path}: IPv6 CIDR value "${cidr}" should be in RFC 5952 canonical format ("${canonical}")`;
  expect(warned(object('NetworkPolicy', { spec }))).toEqual([
    unusual('ingress[1].from[1].ipBlock.cidr', '2001:DB8:0:0::/32', '2001:db8::/32'),
    unusual('ingress[1].from[1].ipBlock.except[1]', '2001:db8:0002::/48', '2001:db8:2::/48'),
    unusual('egress[0].to[0].ipBlock.cidr', '2001:DB8:0:0::/32', '2001:db8::/32'),
    unusual('egress[0].to[0].ipBlock.except[1]', '2001:db8:0002::/48', '2001:db8:2::/48'),
  ]);
});
