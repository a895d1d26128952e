import { expect, it, vi } from 'vitest';
import { stringify } from 'yaml';
import type { StoredEvent, StoredPod } from '../../src/api/base/objects.ts';
import { run, serve } from '../../src/library/index.ts';
import { PATIENT } from '../patience.ts';
import { askServer } from './ask-server.ts';
import { workshopForEach } from './workshop.ts';

const workshop = workshopForEach({ leavesPods: true });

const NODES = 3;
const containers = [{ name: 'main', image: 'x', command: ['sleep', '1000'] }];

function workload(kind: string, name: string, spec: object): Record<string, unknown> & { readonly kind: string } {
  const labels = { app: name };
  const topologySpreadConstraints = [
    {
      maxSkew: 1,
      topologyKey: 'kubernetes.io/hostname',
      whenUnsatisfiable: 'DoNotSchedule',
      labelSelector: { matchLabels: labels },
    },
  ];
  const template = {
    metadata: { labels },
    spec: { terminationGracePeriodSeconds: 0, containers, topologySpreadConstraints },
  };
  return {
    apiVersion: 'apps/v1',
    kind,
    metadata: { name },
    spec: { ...spec, selector: { matchLabels: labels }, template },
  };
}
const OBJECTS = [workload('Deployment', 'web', { replicas: 4 }), workload('DaemonSet', 'agent', {})];

/** A server has Services, whose names such Pods do not have. */
const OF_SERVERS = 'NoServiceNames';

/** The number of Pods of each workload on each node, and what happened to each: names differ from run to run. */
function picture(pods: readonly StoredPod[], events: readonly StoredEvent[]): unknown {
  const counts = new Map<string, number>();
  const lives = pods.map(({ metadata, spec, status }) => {
    const app = metadata.labels?.['app'];
    const place = `${app} ${spec.nodeName}`;
    counts.set(place, (counts.get(place) ?? 0) + 1);
    const reasons = events.flatMap(({ involvedObject, reason }) =>
      involvedObject.uid === metadata.uid && reason !== OF_SERVERS ? [String(reason)] : [],
    );
    return `${app} ${status.phase}: ${[...new Set(reasons)].join(' ')}`;
  });
  return { spread: [...counts.values()].toSorted((a, b) => a - b), lives: [...new Set(lives)].toSorted() };
}

interface List<T> {
  readonly items: readonly T[];
}

async function stored<T>(type: string): Promise<readonly T[]> {
  return (JSON.parse((await workshop.run(['get', type, '-o', 'json'])).stdout) as List<T>).items;
}

async function inBackground(): Promise<unknown> {
  const file = workshop.file('all.yaml', OBJECTS.map((object) => stringify(object)).join('---\n'));
  const flags = ['--nodes', String(NODES), '--runtime', 'process', '--until', 'ready', '-d'];
  expect((await workshop.run(['apply', '-f', file, ...flags])).exitCode).toBe(0);
  const seen = picture(await stored<StoredPod>('pods'), await stored<StoredEvent>('events'));
  await workshop.run(['delete', 'deployment/web', 'daemonset/agent']);
  return seen;
}

async function inForeground(): Promise<unknown> {
  const file = workshop.file('all.yaml', OBJECTS.map((object) => stringify(object)).join('---\n'));
  const podrun = workshop.start(['apply', '-f', file, '--nodes', String(NODES), '--runtime', 'process']);
  await podrun.until(({ stdout }) => stdout.includes('4/4 ready') && stdout.includes('3/3 ready'));
  const seen = picture(await stored<StoredPod>('pods'), await stored<StoredEvent>('events'));
  podrun.signal('SIGINT');
  await podrun.ended;
  return seen;
}

async function served(): Promise<unknown> {
  const server = await serve({ runtime: 'process', network: 'host', config: false, nodes: NODES });
  try {
    for (const object of OBJECTS) {
      await askServer(server, `/apis/apps/v1/namespaces/default/${object.kind.toLowerCase()}s`, object);
    }
    const pods = await vi.waitFor(async () => {
      const { items } = await askServer<List<StoredPod>>(server, '/api/v1/namespaces/default/pods');
      expect(items.filter(({ status }) => status.phase === 'Running')).toHaveLength(4 + NODES);
      return items;
    }, PATIENT);
    const { items } = await askServer<List<StoredEvent>>(server, '/api/v1/namespaces/default/events');
    return picture(pods, items);
  } finally {
    await server.close();
  }
}

it('Pods are on the same nodes, with the same events, whatever door they came through', async () => {
  const background = await inBackground();
  expect(background).toMatchObject({ spread: [1, 1, 1, 1, 1, 2] });
  await using pods = await run(OBJECTS, { runtime: 'process', config: false, nodes: NODES });
  await pods.until('Ready');
  const library = picture(
    pods.names.map((name) => pods.get(name)),
    pods.events(),
  );
  expect({ foreground: await inForeground(), library, served: await served() }).toEqual({
    foreground: background,
    library: background,
    served: background,
  });
});
