import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Container, EnvVar, Probe, Volume } from '../../src/api/generated/types.ts';
import type { StoredPod } from '../../src/api/base/objects.ts';
import { describePod } from '../../src/print/describe/describe-pod.ts';
import { GOLDEN_NOW_MS, goldenEvents, goldenPods, transcript } from './golden.ts';
import { at, container, NOW_MS, webEvent, webPod } from './pods.ts';

beforeEach(() => {
  vi.stubEnv('TZ', 'UTC');
});
afterEach(() => {
  vi.unstubAllEnvs();
});

/** The lines of a description from a title to the next line with the same indent or less. */
function block(pod: StoredPod, title: string): string {
  const lines = describePod(pod, undefined, NOW_MS).split('\n');
  const start = lines.findIndex((line) => line.trimStart().startsWith(title));
  const margin = lines[start]?.search(/\S/) ?? 0;
  const length = lines.slice(start + 1).findIndex((line) => line.search(/\S/) <= margin);
  return lines.slice(start, start + 1 + length).join('\n');
}

const withContainer = (change: Partial<Container>): StoredPod =>
  webPod({ spec: { containers: [container('main', change)] }, status: { containerStatuses: [] } });
const withVolumes = (...volumes: Volume[]): StoredPod => webPod({ spec: { volumes } });

describe('describePod()', () => {
  it('leaves the events out when there are none to show', () => {
    const { stdout, state } = transcript('describe', 'describe-noevents');
    expect(
      state
        .flatMap(goldenPods)
        .map((pod) => describePod(pod, undefined, GOLDEN_NOW_MS))
        .join(''),
    ).toBe(stdout);
  });

  it('shows the events of this very Pod only, and for a mirror Pod the events of its source', () => {
    const events = [webEvent('Mine'), webEvent('Other')];
    events[1]!.involvedObject = { ...events[1]!.involvedObject, uid: 'u-2' };
    expect(describePod(webPod(), events, NOW_MS)).toMatch(/Mine(?![^]*Other)/);
    const mirror = webPod({ metadata: { annotations: { 'kubernetes.io/config.mirror': 'u-2' } } });
    expect(describePod(mirror, events, NOW_MS)).toMatch(/^(?![^]*Mine)[^]*Other/);
  });

  it('sorts events by their last time, those without one first', () => {
    const [pod] = goldenPods('events-aggregated');
    const rows = describePod(pod!, goldenEvents('events-aggregated').toReversed(), GOLDEN_NOW_MS)
      .split('\n')
      .filter((line) => /^ {2}(Normal|Warning)/.test(line));
    expect(rows.map((row) => row.trim().split(/ {2,}/)[1])).toEqual([
      'Scheduled',
      'FailedScheduling',
      'Pulled',
      'Failed',
      'Custom',
      'Unhealthy',
    ]);
  });

  it('shows dates in the zone of the reader', () => {
    vi.stubEnv('TZ', 'Asia/Kolkata');
    const text = describePod(webPod({ status: { startTime: '2026-01-15T20:00:05.123456Z' } }), undefined, NOW_MS);
    expect(text).toContain('Fri, 16 Jan 2026 01:30:05 +0530');
    vi.stubEnv('TZ', 'America/St_Johns');
    expect(describePod(webPod({ status: { startTime: at(0) } }), undefined, NOW_MS)).toContain('08:30:00 -0330');
  });

  it('takes the effect out of what would drive a terminal', () => {
    const pod = webPod({ metadata: { annotations: { note: 'a\u001B[2Jb\rc' } } });
    expect(block(pod, 'Annotations')).toBe(String.raw`Annotations:  note: a^[[2Jb\rc`);
  });

  it('assumes the grace period of the Pod when the object does not say how long a deletion takes', () => {
    const pod = webPod({ metadata: { deletionTimestamp: at(-20) }, spec: { terminationGracePeriodSeconds: 7 } });
    expect(describePod(pod, undefined, NOW_MS)).toMatch(
      /^Status: +Terminating \(lasts 20s\)\nTermination Grace Period: +7s$/m,
    );
  });

  it('shows the resources of the whole Pod', () => {
    const pod = webPod({ spec: { resources: { limits: { memory: '1024Mi', cpu: '1000m' } } } });
    expect(block(pod, 'Resources')).toBe('Resources:\n  Limits:\n    cpu:     1\n    memory:  1Gi');
  });
});

describe('a probe in describe', () => {
  it.each<[probe: Probe, want: string]>([
    [
      { httpGet: { port: 80, path: 'a b?c#d', scheme: 'HTTPS', host: '::1' } },
      'http-get https://[::1]:80/a%20b%3Fc%23d',
    ],
    [{ httpGet: { port: 'web', path: "/é!*'()~$&+,/:;=@" } }, 'http-get http://:web/%C3%A9%21%2A%27%28%29~$&+,/:;=@'],
    [{ httpGet: { port: 80 } }, 'http-get http://:80'],
    [{ exec: { command: ['sh', '-c', 'a b'] } }, 'exec [sh -c a b]'],
    [{ tcpSocket: { port: 5432 } }, 'tcp-socket :5432'],
    [{ grpc: { port: 9000 } }, 'grpc <pod>:9000 '],
    [{}, 'unknown'],
  ])('%j', (probe, want) => {
    const line = block(withContainer({ livenessProbe: probe }), 'Liveness');
    expect(line).toMatch(/^ {4}Liveness: +/);
    expect(line.replace(/^ *Liveness: +/, '')).toBe(`${want} delay=0s timeout=1s period=10s #success=1 #failure=3`);
  });
});

describe('the environment in describe', () => {
  const resource = (name: string, divisor?: string): EnvVar => ({
    name: 'V',
    valueFrom: { resourceFieldRef: { resource: name, divisor } },
  });
  const resources = { limits: { cpu: '1500m', 'ephemeral-storage': '1Gi' }, requests: { memory: '100M' } };

  it.each<[variable: EnvVar, want: string]>([
    [resource('limits.cpu'), '2 (limits.cpu)'],
    [resource('limits.cpu', '1m'), '1500 (limits.cpu)'],
    [resource('limits.memory'), 'node allocatable (limits.memory)'],
    [resource('requests.memory', '1Mi'), '96 (requests.memory)'],
    [resource('requests.memory', '0'), '100000000 (requests.memory)'],
    [resource('requests.cpu'), '0 (requests.cpu)'],
    [resource('limits.ephemeral-storage', '1Mi'), '1024 (limits.ephemeral-storage)'],
    [resource('limits.gpu'), ' (limits.gpu)'],
    [{ name: 'V', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }, 'web (:metadata.name)'],
    [{ name: 'V', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.uid' } } }, ' (v1:metadata.uid)'],
    [
      { name: 'V', valueFrom: { fileKeyRef: { volumeName: 'v', path: 'env', key: 'K' } } },
      "<set to the key 'K' of file 'env' in volume 'v'>  Optional: false",
    ],
  ])('%j', (variable, want) => {
    const pod = withContainer({ env: [variable], resources });
    expect(block(pod, 'Environment:').split('\n')[1]).toBe(`      V:     ${want}`);
  });
});

describe('volumes in describe', () => {
  it('indent every label of a claim template, and the later ones twice, as kubectl does', () => {
    const labels = { a: '1', b: '2' };
    const pod = withVolumes({ name: 'v', ephemeral: { volumeClaimTemplate: { metadata: { labels }, spec: {} } } });
    expect(block(pod, 'v:').split('\n').slice(4, 7)).toEqual([
      '    Labels:            a=1',
      '                       b=2',
      '    Annotations:       <none>',
    ]);
  });

  it('show attributes of a CSI volume in the same way', () => {
    const pod = withVolumes({ name: 'v', csi: { driver: 'd', volumeAttributes: { b: '2', a: '1' } } });
    expect(block(pod, 'v:')).toContain('VolumeAttributes:      a=1\n                           b=2');
    expect(block(withVolumes({ name: 'v', csi: { driver: 'd' } }), 'v:')).toContain('VolumeAttributes:  <none>');
  });

  it.each<[volume: Omit<Volume, 'name'>, want: string[]]>([
    [
      { gitRepo: { repository: 'r' } },
      ['Type: GitRepo (a volume that is pulled from git when the pod is created)', 'Repository: r', 'Revision:'],
    ],
    [
      { fc: { targetWWNs: ['a', 'b'], lun: 2 } },
      ['Type: FC (a Fibre Channel disk)', 'TargetWWNs: a, b', 'LUN: 2', 'FSType:', 'ReadOnly: false'],
    ],
    [
      { flexVolume: { driver: 'd', options: { b: '2', a: '1' } } },
      [
        'Type: FlexVolume (a generic volume resource that is provisioned/attached using an exec based plugin)',
        'Driver: d',
        'FSType:',
        'SecretRef: <nil>',
        'ReadOnly: false',
        'Options: map[a:1 b:2]',
      ],
    ],
    [{ hostPath: { path: '/x' } }, ['Type: HostPath (bare host directory volume)', 'Path: /x', 'HostPathType: <none>']],
    [
      { emptyDir: { sizeLimit: '0' } },
      ["Type: EmptyDir (a temporary directory that shares a pod's lifetime)", 'Medium:', 'SizeLimit: <unset>'],
    ],
    [
      { projected: { sources: [{ secret: { name: 's', optional: true } }, { serviceAccountToken: { path: 't' } }] } },
      [
        'Type: Projected (a volume that contains injected data from multiple sources)',
        'SecretName: s',
        'SecretOptionalName: true',
        'TokenExpirationSeconds: 3600',
      ],
    ],
  ])('%j', (source, want) => {
    const [, ...lines] = block(withVolumes({ name: 'v', ...source }), 'v:').split('\n');
    expect(lines.map((line) => line.trim().replace(/: +/, ': '))).toEqual(want);
  });

  it('of a kind that is not known say so', () => {
    expect(block(withVolumes({ name: 'v' }), 'v:')).toBe('  v:');
    expect(describePod(withVolumes({ name: 'v' }), undefined, NOW_MS)).toContain('\n  v:\n  <unknown>\n');
  });
});

describe('a container in describe', () => {
  it('lists mounts by path, with the part of the volume, and devices', () => {
    const pod = withContainer({
      volumeMounts: [
        { name: 'v', mountPath: '/z', readOnly: true },
        { name: 'w', mountPath: '/a', subPath: 'x"y' },
      ],
      volumeDevices: [{ name: 'd', devicePath: '/dev/x' }],
    });
    expect(block(pod, 'Mounts:')).toBe('    Mounts:\n      /a from w (rw,path="x\\"y")\n      /z from v (ro)');
    expect(block(pod, 'Devices:')).toBe('    Devices:\n      /dev/x from d');
  });
});
