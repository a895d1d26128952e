import { mkdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, type TestContext, vi } from 'vitest';
import type { Container, Pod, PodSpec, Volume } from '../../src/api/generated/types.ts';
import type { KubeObject } from '../../src/api/index.ts';

import { freePort } from '../free-port.ts';
import { type ImageWorld, openWorld } from '../images/registry.ts';
import { needs } from '../needs.ts';
import { PATIENCE_MS, PATIENT } from '../patience.ts';
import { post, serverAt } from './corpus.ts';
import { storeOf } from './prepared-store.ts';
import { type Workshop, workshopFor } from './workshop.ts';

/*
 * A table of what a container runtime does beneath a kubelet: volumes, devices, ports, images. All Pods of a group come
 * in one `apply`, and one by one to a server.
 */

/** The outcome of a Pod. */
interface Outcome {
  readonly log: string;
  readonly exitCode: number | undefined;
  /** The reason why its container waits or has ended. */
  readonly reason: string | undefined;
  readonly imageID: string | undefined;
  readonly events: string;
}

interface RuntimeCase {
  readonly title: string;
  /** Further objects that the Pod needs. */
  readonly beside?: readonly KubeObject[];
  readonly spec: PodSpec;
  readonly expected: { readonly [Field in keyof Outcome]?: unknown };
}

const shell = (script: string, more: Partial<Container> = {}): Container => ({
  name: 'c',
  image: 'busybox',
  command: ['sh', '-c', script],
  ...more,
});

/** A Pod with one volume at a path. */
const withVolume = (volume: Omit<Volume, 'name'>, mountPath: string, container: Container): PodSpec => ({
  volumes: [{ name: 'v', ...volume }],
  containers: [{ ...container, volumeMounts: [{ name: 'v', mountPath }] }],
});

/** Pods that go at once when they are deleted. */
const SOON_GONE = { terminationGracePeriodSeconds: 0 } as const;

const has = (text: string): unknown => expect.stringContaining(text);
const ran = { log: has('RAN'), exitCode: 0 };

const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'odd' } };

/** The cases with programs of this machine. */
const ofMachine = (folder: string): readonly RuntimeCase[] => [
  {
    title: 'a missing hostPath without a type is made, and an event says so',
    spec: withVolume({ hostPath: { path: `${folder}/untyped`, type: '' } }, '/m', shell('ls -la /m && echo RAN')),
    expected: { ...ran, events: has('HostPathMade') },
  },
  {
    title: 'a missing working folder is made',
    spec: { containers: [shell('pwd && echo RAN', { workingDir: '/tmp/podrun-no-such-folder/deep' })] },
    expected: { log: has('/tmp/podrun-no-such-folder/deep\nRAN'), exitCode: 0 },
  },
  {
    title: 'a relative hostPath is none',
    spec: withVolume({ hostPath: { path: './here', type: 'Directory' } }, '/m', shell('ls /m')),
    expected: { events: has('hostPath type check failed: ./here is not a directory'), reason: 'ContainerCreating' },
  },
  {
    title: 'an unknown medium of an emptyDir cannot be mounted',
    spec: withVolume({ emptyDir: { medium: 'Disk' } }, '/m', shell('true')),
    expected: { events: has('unknown storage medium "Disk"'), reason: 'ContainerCreating' },
  },
  {
    title: 'a medium in small letters is unknown, too',
    spec: withVolume({ emptyDir: { medium: 'memory' } }, '/m', shell('true')),
    expected: { events: has('unknown storage medium "memory"'), reason: 'ContainerCreating' },
  },
  {
    title: 'a volume may lie at /usr/bin',
    spec: withVolume(
      { hostPath: { path: '/bin' } },
      '/usr/bin',
      shell('echo RAN', { command: ['/bin/sh', '-c', 'echo RAN'] }),
    ),
    expected: ran,
  },
  {
    title: 'a volume may lie at /dev, which has the standard devices then',
    spec: withVolume(
      { hostPath: { path: `${folder}/dev`, type: 'Directory' } },
      '/dev',
      shell('echo a >/dev/null && echo RAN', { securityContext: { privileged: true } }),
    ),
    expected: ran,
  },
  {
    title: 'a volume at / is refused with the reason',
    spec: withVolume({ emptyDir: {} }, '/', shell('ls /')),
    expected: {
      log: '',
      reason: expect.stringMatching(/RunContainerError|StartError|CreateContainerError/),
      events: has('/'),
    },
  },
  {
    title: 'a variable that no program can be started with is a StartError, and no output of the program',
    spec: { containers: [shell('true', { env: [{ name: 'A', value: 'x'.repeat(200_000) }] })] },
    expected: { log: '', exitCode: 128, reason: 'StartError', events: has('argument list too long') },
  },
  {
    title: 'variables have all names that a kubelet takes',
    beside: [{ ...configMap, data: { 'with.dot': 'x', 'lower-dash': 'y', '1num': 'z' } }],
    spec: {
      containers: [
        {
          name: 'c',
          image: 'x',
          command: ['env'],
          envFrom: [{ configMapRef: { name: 'odd' } }],
          env: [{ name: 'a b', value: '1' }],
        },
      ],
    },
    expected: {
      log: expect.stringMatching(/^(?=[^]*^a b=1$)(?=[^]*^with\.dot=x$)(?=[^]*^lower-dash=y$)(?=[^]*^1num=z$)/m),
      exitCode: 0,
    },
  },
  {
    title: 'files of names, and a volume that is read only, hold',
    spec: {
      hostAliases: [{ ip: '127.0.0.9', hostnames: ['mydb.test'] }],
      dnsPolicy: 'None',
      dnsConfig: { nameservers: ['127.0.0.7'] },
      volumes: [{ name: 'v', hostPath: { path: '/tmp' } }],
      containers: [
        {
          ...shell('cat /etc/hosts /etc/resolv.conf; touch /data/x || echo cannot'),
          volumeMounts: [{ name: 'v', mountPath: '/data', readOnly: true }],
        },
      ],
    },
    expected: {
      log: expect.stringMatching(/127\.0\.0\.9\s+mydb\.test\n[^]*nameserver 127\.0\.0\.7\n[^]*cannot\n/),
      exitCode: 0,
      events: expect.not.stringContaining('FieldHasNoEffect'),
    },
  },
  {
    title: 'a standard device may be written to at any path',
    spec: withVolume(
      { hostPath: { path: '/dev/null', type: 'CharDevice' } },
      '/dev/x0',
      shell('stat -c %F /dev/x0; echo a > /dev/x0 && echo RAN'),
    ),
    expected: { log: has('character special file\nRAN'), exitCode: 0 },
  },
];

const LOOK_AT_VOLUMES = 'cat /kept/hello; touch /kept/x /new/y && echo WROTE; touch /z; ls -d /kept/x';

/** The cases with images. */
const ofImages = (host: string): readonly RuntimeCase[] => [
  {
    title: 'volumes of an image are writable folders with its content',
    spec: { containers: [{ name: 'c', image: `${host}/volumes:1` }] },
    expected: { log: has('hello\nWROTE'), exitCode: 0 },
  },
  {
    title: 'volumes of an image are writable below a root that is not',
    spec: {
      containers: [{ name: 'c', image: `${host}/volumes:1`, securityContext: { readOnlyRootFilesystem: true } }],
    },
    expected: { log: expect.stringMatching(/hello\nWROTE\n[^]*Read-only file system/i), exitCode: 0 },
  },
  {
    title: 'an emptyDir at /dev of an image has the standard devices',
    spec: withVolume({ emptyDir: {} }, '/dev', { ...shell('echo a >/dev/null && echo RAN'), image: `${host}/plain:1` }),
    expected: ran,
  },
  {
    title: 'the imageID is a digest',
    spec: { containers: [{ name: 'c', image: `${host}/plain:1` }] },
    expected: { ...ran, imageID: expect.stringMatching(/@sha256:[0-9a-f]{64}$/) },
  },
];

function podOf({ spec }: RuntimeCase, index: number): Pod & { readonly metadata: { readonly name: string } } {
  const own = { restartPolicy: 'Never', terminationGracePeriodSeconds: 0 } as const;
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name: `pod-${index}` }, spec: { ...own, ...spec } };
}

const besides = (cases: readonly RuntimeCase[]): KubeObject[] => cases.flatMap(({ beside = [] }) => beside);

async function outcomeOf(workshop: Workshop, name: string): Promise<Outcome> {
  const pod = storeOf(workshop).get<never>('pods', 'default', name) as Pod | undefined;
  const [status] = pod?.status?.containerStatuses ?? [];
  const ended = status?.state?.terminated;
  const { stdout: log } = ended === undefined ? { stdout: '' } : await workshop.run(['logs', name]);
  const { stdout: events } = await workshop.run(['events', '--for', `pod/${name}`]);
  const reason = ended?.reason ?? status?.state?.waiting?.reason;
  return { log, exitCode: ended?.exitCode, reason, imageID: status?.imageID, events };
}

/** Compares all cases with what the state folder says, until each has its outcome. Returns how many have it. */
async function judge(workshop: Workshop, cases: readonly RuntimeCase[]): Promise<number> {
  for (const [index, { title, expected }] of cases.entries()) {
    await vi.waitFor(async () => {
      expect({ title, ...(await outcomeOf(workshop, `pod-${index}`)) }).toMatchObject({ title, ...expected });
    }, PATIENT);
  }
  return cases.length;
}

async function byApply(workshop: Workshop, cases: readonly RuntimeCase[], flags: readonly string[]): Promise<number> {
  const pods = { apiVersion: 'v1', kind: 'List', items: [...besides(cases), ...cases.map(podOf)] };
  const applied = workshop.start(['apply', workshop.file('pods.json', JSON.stringify(pods)), ...flags]);
  const judged = await judge(workshop, cases);
  applied.signal('SIGINT');
  await applied.ended;
  return judged;
}

async function byServer(
  workshop: Workshop,
  cases: readonly RuntimeCase[],
  imageSource: 'host' | 'registry',
): Promise<number> {
  const flags = ['--runtime', 'namespace', '--network', 'host', '--images', imageSource];
  const served = workshop.start(['serve', ...flags]);
  await served.until(({ stderr }) => stderr.includes('serving '));
  const server = serverAt(path.join(workshop.stateDir, '.server/kubeconfig'));
  for (const object of [...besides(cases), ...cases.map(podOf)]) await post(server, object as KubeObject);
  const judged = await judge(workshop, cases);
  served.signal('SIGINT');
  await served.ended;
  return judged;
}

describe('beneath the kubelet', { timeout: 10 * PATIENCE_MS }, () => {
  let world: ImageWorld;
  beforeAll(async () => {
    const config = { Cmd: ['sh', '-c', LOOK_AT_VOLUMES], Volumes: { '/kept': {}, '/new': {} } };
    const images = {
      'volumes:1': { config, layers: [{ 'kept/hello': 'hello\n' }] },
      'plain:1': { config: { Cmd: ['echo', 'RAN'] } },
    };
    world = await openWorld({ images });
  });
  afterAll(() => world.close());

  const machinePlace = (context: TestContext): readonly [Workshop, readonly RuntimeCase[]] => {
    const workshop = workshopFor(context);
    mkdirSync(path.join(workshop.folder, 'dev'));
    return [workshop, ofMachine(workshop.folder)];
  };

  it('programs of the machine start as on a node, by apply', needs('namespaces', 'root'), async (context) => {
    const [workshop, cases] = machinePlace(context);
    expect(await byApply(workshop, cases, ['--runtime', 'namespace'])).toBe(cases.length);
    expect(statSync(path.join(workshop.folder, 'untyped')).mode & 0o7777).toBe(0o755);
  });

  it('programs of the machine start as on a node, by a server', needs('namespaces', 'root'), async (context) => {
    const [workshop, cases] = machinePlace(context);
    expect(await byServer(workshop, cases, 'host')).toBe(cases.length);
  });

  it('images start as on a node, by apply', needs('namespaces', 'layers of images'), async (context) => {
    const flags = ['--runtime', 'namespace', '--images', 'registry'];
    const cases = ofImages(world.host);
    expect(await byApply(workshopFor(context), cases, flags)).toBe(cases.length);
  });

  it('images start as on a node, by a server', needs('namespaces', 'layers of images'), async (context) => {
    const cases = ofImages(world.host);
    expect(await byServer(workshopFor(context), cases, 'registry')).toBe(cases.length);
  });

  describe(
    'a hostPort leads to the container, and a safe sysctl holds, without a flag',
    needs('networks', 'root'),
    () => {
      const podsAt = (hostPort: number): readonly Pod[] => {
        const program = 'require("http").createServer((_, r) => r.end("from the Pod")).listen(8450)';
        const ports = [{ containerPort: 8450, hostPort }];
        const readinessProbe = { tcpSocket: { port: 8450 }, periodSeconds: 1 };
        const web = { name: 'c', image: 'x', command: [process.execPath, '-e', program], ports, readinessProbe };
        const range = shell('cat /proc/sys/net/ipv4/ping_group_range; sleep 600');
        const sysctls = [{ name: 'net.ipv4.ping_group_range', value: '0 1000' }];
        const own = { apiVersion: 'v1', kind: 'Pod' } as const;
        return [
          { ...own, metadata: { name: 'web' }, spec: { ...SOON_GONE, containers: [web] } },
          {
            ...own,
            metadata: { name: 'safe' },
            spec: { ...SOON_GONE, securityContext: { sysctls }, containers: [range] },
          },
        ];
      };

      /** Looks at both Pods, and deletes them. Returns the exit code. */
      const look = async (workshop: Workshop, hostPort: number): Promise<number> => {
        await vi.waitFor(async () => {
          expect(await (await fetch(`http://127.0.0.1:${hostPort}/`)).text()).toBe('from the Pod');
          expect((await workshop.run(['logs', 'safe'])).stdout).toMatch(/^0\s+1000\n$/);
        }, PATIENT);
        expect((await workshop.run(['events'])).stdout).not.toContain('FieldHasNoEffect');
        return (await workshop.run(['delete', 'pod', 'web', 'safe'])).exitCode;
      };

      it('by apply in the background', needs('namespaces'), async (context) => {
        const workshop = workshopFor(context, { leavesPods: true });
        const hostPort = await freePort();
        const list = { apiVersion: 'v1', kind: 'List', items: podsAt(hostPort) };
        const file = workshop.file('pods.json', JSON.stringify(list));
        const applied = await workshop.start(['apply', '-d', '--wait', file, '--runtime', 'namespace']).ended;
        expect([applied.exitCode, applied.stderr]).toEqual([0, expect.not.stringContaining('no effect')]);
        expect(await look(workshop, hostPort)).toBe(0);
      });

      it('by a server', needs('namespaces'), async (context) => {
        const workshop = workshopFor(context, { leavesPods: true });
        const hostPort = await freePort();
        const served = workshop.start(['serve', '--runtime', 'namespace', '--images', 'host']);
        await served.until(({ stderr }) => stderr.includes('serving '));
        const server = serverAt(path.join(workshop.stateDir, '.server/kubeconfig'));
        for (const pod of podsAt(hostPort)) await post(server, pod as KubeObject);
        expect(await look(workshop, hostPort)).toBe(0);
        served.signal('SIGINT');
        await served.ended;
      });
    },
  );
});
