import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { describe, expect, it, type TestContext } from 'vitest';
import type { PodSpec } from '../../src/api/generated/types.ts';
import { childrenOf } from '../children-of.ts';
import type { StoredPod, StoredService } from '../../src/api/base/objects.ts';
import { quietly } from '../../src/quietly.ts';
import { storeOf } from '../cli/prepared-store.ts';
import { freePort } from '../free-port.ts';
import type { Podrun } from '../cli/workshop.ts';
import { PATIENT } from '../patience.ts';
import { APART, type Attempt, attemptIn, escaping, start } from './worlds.ts';
import { programsForAll } from '../ordinary-user.ts';

const SERVE = `require('node:http').createServer((q, r) => r.end('served')).listen(8080)`;

/** Prints what becomes of a connection to each place: a host with a port, or the path of a socket. */
const KNOCK = `
  const { connect } = require('node:net');
  for (const place of process.argv.slice(1)) {
    const [host, port] = place.split(':');
    const socket = port === undefined ? connect(place) : connect({ host, port });
    const end = (what) => { console.log(place, what); socket.destroy(); };
    socket.once('connect', () => end('reached')).once('error', (error) => end(error.code));
    socket.setTimeout(500, () => end('no answer'));
  }`;

/** Runs a server in a cluster with everything that this machine can reach it by. */
async function startServer(context: TestContext, attempt: Attempt): Promise<Podrun> {
  const { workshop } = attempt;
  const meta = { name: 'web', labels: { app: 'web' } };
  const spec: PodSpec = {
    terminationGracePeriodSeconds: 0,
    containers: [
      {
        name: 'main',
        image: 'node',
        command: [programsForAll().node, '-e', SERVE],
        readinessProbe: { httpGet: { port: 8080 }, periodSeconds: 1 },
      },
    ],
  };
  const port = await freePort();
  const service = { selector: meta.labels, type: 'LoadBalancer', ports: [{ port, targetPort: 8080 }] };
  const backend = { service: { name: 'web', port: { number: port } } };
  const objects = [
    { apiVersion: 'v1', kind: 'Service', metadata: meta, spec: service },
    { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', metadata: meta, spec: { defaultBackend: backend } },
    { apiVersion: 'v1', kind: 'Pod', metadata: meta, spec },
  ];
  const file = workshop.file('web.yaml', objects.map((object) => JSON.stringify(object)).join('\n---\n'));
  const podrun = start(attempt, ['apply', '--network', 'cluster', file]);
  context.onTestFinished(async () => {
    podrun.signal('SIGINT');
    await podrun.ended;
  });
  await podrun.until(({ stdout }) => /ContainersReady, Ready after/.test(stdout));
  return podrun;
}

/** The addresses of this machine on which a process or its children listen, as /proc/net/tcp has them. */
function listeningOf(pid: number): string[] {
  const tree = [pid];
  for (const each of tree) tree.push(...childrenOf(each));
  const sockets = new Set(
    tree.flatMap((each) =>
      (quietly(() => readdirSync(`/proc/${each}/fd`)) ?? []).flatMap((fd) => {
        return quietly(() => readlinkSync(`/proc/${each}/fd/${fd}`)) ?? [];
      }),
    ),
  );
  const rows = ['tcp', 'tcp6'].flatMap((table) =>
    readFileSync(`/proc/net/${table}`, 'utf8').trim().split('\n').slice(1),
  );
  return rows.flatMap((row) => {
    const [, local = '', , state, , , , , , inode] = row.trim().split(/\s+/);
    return state === '0A' && sockets.has(`socket:[${inode}]`) ? [local] : [];
  });
}

describe.each(APART)('a cluster of $who', (world) => {
  it('listens on loopback addresses only, and Pods of another run reach nothing of it', async (context) => {
    const attempt = attemptIn(context, world);
    const { workshop } = attempt;
    const podrun = await startServer(context, attempt);
    // The address of the Service on this machine, its port as a load balancer, its node port, and the Ingress.
    await expect.poll(() => listeningOf(podrun.pid).length, PATIENT).toBeGreaterThanOrEqual(4);
    // 127.x.y.z, in the byte order of this machine.
    expect(listeningOf(podrun.pid).filter((local) => !/^\w{6}7F:/.test(local))).toEqual([]);

    const store = storeOf(workshop);
    const { podIP } = store.get<StoredPod>('pods', 'default', 'web')?.status ?? {};
    const { clusterIP = '', ports: [{ port = 0 } = {}] = [] } =
      store.get<StoredService>('services', 'default', 'web')?.spec ?? {};
    const places = [
      `${podIP}:8080`,
      `${clusterIP}:${port}`,
      `${clusterIP.replace(/^10\./, '127.')}:${port}`,
      `web:${port}`,
      store.paths('default', 'web').attachSocket,
    ];
    const other = workshop.pod('other', escaping('', { command: [programsForAll().node, '-e', KNOCK, ...places] }));
    const { stdout } = await start(attempt, ['apply', '--network', 'cluster', other]).ended;
    const knocked = places.map((place) => stdout.split(` ${place} `)[1]?.split(/\s/)[0]);
    expect(knocked).toHaveLength(places.length);
    expect(new Set(knocked)).not.toContain(undefined);
    expect(knocked).not.toContain('reached');
  });
});
