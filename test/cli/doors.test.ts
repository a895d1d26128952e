import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { PodSpec } from '../../src/api/generated/types.ts';
import { type KubernetesServer, run, serve } from '../../src/library/index.ts';
import { PATIENT } from '../patience.ts';
import { askServer } from './ask-server.ts';
import { runHere } from './in-process.ts';
import { workshopForEach } from './workshop.ts';

/*
 * Manifests come to podrun through four doors: `apply`, `apply --detach`, run() of the library, and clients of `serve`.
 * Each says the same about a field that podrun cannot fulfil.
 */

const workshop = workshopForEach();
const RUNTIME = ['--runtime', 'process'];

interface Event {
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
}

/** The Pod of a spec with one container that ends at once. */
function podOf(spec: Partial<PodSpec>): { apiVersion: 'v1'; kind: 'Pod'; metadata: { name: string }; spec: PodSpec } {
  const containers = [{ name: 'main', image: 'x', command: ['true'] }];
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web' },
    spec: { restartPolicy: 'Never', containers, ...spec },
  };
}

const main = { name: 'main', image: 'x', command: ['true'] };
const term = { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { app: 'web' } } };
const preferred = { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm: term }] };

/** Fields that podrun accepts and that have no effect for processes of the host. */
const ANNOUNCED: Partial<PodSpec> = {
  dnsConfig: { nameservers: ['127.0.0.1'], options: [{ name: 'ndots', value: '2' }] },
  dnsPolicy: 'None',
  topologySpreadConstraints: [{ maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'ScheduleAnyway' }],
  hostAliases: [{ ip: '127.0.0.9', hostnames: ['nine'] }],
  affinity: { podAffinity: preferred, podAntiAffinity: preferred },
  securityContext: {
    sysctls: [{ name: 'kernel.shm_rmid_forced', value: '1' }],
    seLinuxOptions: { level: 's0' },
    seLinuxChangePolicy: 'Recursive',
  },
  volumes: [{ name: 'data', emptyDir: { medium: 'HugePages' } }],
  containers: [
    {
      ...main,
      ports: [{ containerPort: 8080, hostPort: 8080, hostIP: '127.0.0.1' }],
      volumeMounts: [{ name: 'data', mountPath: '/data', readOnly: true, mountPropagation: 'HostToContainer' }],
    },
  ],
};
const ANNOUNCED_COUNT = 13;

/** Fields that podrun refuses, and its words. */
const REFUSED: readonly (readonly [path: string, spec: Partial<PodSpec>, why: string])[] = [
  [
    'spec.resourceClaims',
    { resourceClaims: [{ name: 'gpu', resourceClaimName: 'gpu' }] },
    'there are no devices to claim',
  ],
  [
    'spec.volumes[0].iscsi',
    { volumes: [{ name: 'disk', iscsi: { targetPortal: '10.0.0.1', iqn: 'iqn.2001-04.com.example:a', lun: 0 } }] },
    'volume type iscsi is not available here',
  ],
  [
    'spec.volumes[0].nfs',
    { volumes: [{ name: 'disk', nfs: { server: 'nfs', path: '/' } }] },
    'volume type nfs is not available here',
  ],
];

/** Sentences about fields without effect. */
function announced(events: readonly Event[]): string[] {
  return events.flatMap(({ reason, message = '' }) => (reason === 'FieldHasNoEffect' ? [message] : [])).toSorted();
}

let server: KubernetesServer;

beforeAll(async () => {
  server = await serve({ runtime: 'process', network: 'host', config: false });
});

afterAll(() => server.close());

/** A request of a client of the server. */
// oxlint-disable-next-line typescript/no-explicit-any -- answers of any kind
function ask(target: string, body?: object): Promise<any> {
  return askServer(server, target, body);
}

/** The `count` sentences about a Pod that a client of the server has created in a namespace of its own. */
async function served(namespace: string, spec: Partial<PodSpec>, count: number): Promise<readonly string[]> {
  await ask('/api/v1/namespaces', { metadata: { name: namespace } });
  const created = await ask(`/api/v1/namespaces/${namespace}/pods`, podOf(spec));
  expect(created.kind).toBe('Pod');
  return vi.waitFor(async () => {
    const { items } = await ask(`/api/v1/namespaces/${namespace}/events`);
    expect(announced(items).length).toBeGreaterThanOrEqual(count);
    return announced(items);
  }, PATIENT);
}

/** The events of a command that runs the Pod. */
async function applied(spec: Partial<PodSpec>, ...flags: string[]): Promise<readonly Event[]> {
  const ended = await workshop.run(['apply', workshop.pod('web', podOf(spec).spec), ...RUNTIME, ...flags]);
  expect(ended).toMatchObject({ exitCode: 0, stderr: expect.not.stringContaining('error') });
  const { stdout } = await workshop.run(['get', 'events', '-o', 'json']);
  return (JSON.parse(stdout) as { items: Event[] }).items;
}

it('fields without effect are announced in the same words at every door', async () => {
  const apply = announced(await applied(ANNOUNCED));
  expect(apply).toHaveLength(ANNOUNCED_COUNT);
  await workshop.run(['delete', 'pod', 'web']);
  await workshop.run(['delete', 'events', '--all']);
  const detached = announced(await applied(ANNOUNCED, '--detach', '--until', 'succeeded'));
  await using pods = await run([podOf(ANNOUNCED)], { runtime: 'process', config: false });
  await pods.until('Succeeded');
  const library = announced(pods.events());
  expect({ detached, library, served: await served('announced', ANNOUNCED, ANNOUNCED_COUNT) }).toEqual({
    detached: apply,
    library: apply,
    served: apply,
  });
});

it.each(REFUSED)('%s is refused in the same words at every door', async (path, spec, why) => {
  const words = `${path}: Forbidden: not supported by this runner: ${why}`;
  const file = workshop.pod('web', podOf(spec).spec);
  for (const flags of [[], ['--detach']]) {
    expect(await runHere(workshop, ['apply', file, ...RUNTIME, ...flags])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining(words),
    });
  }
  await expect(run([podOf(spec)], { runtime: 'process', config: false })).rejects.toThrow(words);
  // A server takes whatever a cluster takes, for clients that only store it. Its agent announces it.
  const name = path.replaceAll(/\W+/g, '-').toLowerCase().replace(/-$/, '');
  expect(await served(name, spec, 1)).toEqual([`${path}: ${why}`]);
});
