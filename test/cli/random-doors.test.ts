import { request } from 'node:https';
import path from 'node:path';
import * as fc from 'fast-check';
import { stringify } from 'yaml';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Container, PodSpec } from '../../src/api/generated/types.ts';
import {
  isTerminalPhase,
  type KubeObject,
  type StoredEvent,
  type StoredKubeObject,
  type StoredPod,
} from '../../src/api/base/objects.ts';
import { resourceTypeOf } from '../../src/api/resource-types.ts';
import { SystemClock } from '../../src/clock.ts';
import { type KubernetesServer, run, serve } from '../../src/library/index.ts';
import { localProcesses } from '../../src/runtime/watch/process-identity.ts';
import { parseTransition, transitionLines } from '../../src/store/disk/transition-log.ts';
import { FileStore } from '../../src/store/file-store.ts';
import { serveForFile, SOON } from './flows/api.ts';
import { isRest } from '../rest.ts';
import { serverOf } from '../server/requests.mjs';
import { workshopForEach } from './workshop.ts';

/*
 * Random manifests come to podrun through each door: `apply`, `apply --detach`, run() of the library, clients of
 * `serve`, and clients of the library's serve(). Each door records the same states and the same events.
 */

/** A few, and more in `npm run test:slow`. Many: PODRUN_DOOR_RUNS=50 npx vitest run test/cli/random-doors.test.ts */
const RUNS = Number(process.env['PODRUN_DOOR_RUNS'] ?? (isRest ? 4 : 1));

type Door = 'apply' | 'detached' | 'library' | 'serve' | 'library serve';

/** Differences between doors that are meant, with the reasons. Everything else is the same. */
const DIFFERENCES: readonly {
  readonly what: string;
  readonly why: string;
  /** Makes the recorded text the same. */
  readonly undo?: (text: string) => string;
  /** Takes from a Pod what only some doors add. */
  readonly remove?: (spec: PodSpec) => PodSpec;
  /** True for what depends on the time that things take: only its last state is the same. */
  readonly isRace?: (track: string, spec: PodSpec) => boolean;
}[] = [
  {
    what: 'uids',
    why: 'each object has its own',
    undo: (text) => text.replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'UID'),
  },
  {
    what: 'names that controllers make',
    why: 'their suffixes are random; the hash of a template is not',
    undo: (text) => text.replaceAll(/\b((?:job|deployment)-\d(?:-[0-9a-f]{8,10})?)-[0-9a-z]{5}\b/g, '$1-SUFFIX'),
  },
  {
    what: 'paths',
    why: 'each door has a state folder of its own',
    undo: (text) => text.replaceAll(/[^ "]*\/pods\/run-/g, 'STATE/pods/run-'),
  },
  {
    what: 'durations in messages',
    why: 'they are measured',
    undo: (text) => text.replaceAll(/\b[0-9.]+m?s\b/g, 'TIME'),
  },
  {
    what: 'the ServiceAccount of a Pod with its token, and tolerations of a node that is lost',
    why: 'they are for the API server and for further nodes: admission adds them in `serve` only',
    remove: withoutAdmitted,
  },
  {
    what: 'Ready of a Pod with two containers that end',
    why: 'one may end before the other has started',
    isRace: (track, spec) => /^condition: (Containers)?Ready$/.test(track) && spec.containers.length > 1,
  },
];

const TOKEN = /^kube-api-access-[0-9a-z]{5}$/;

function withoutAdmitted({ tolerations = [], volumes = [], ...spec }: PodSpec): PodSpec {
  const unmounted = <T extends Container>({ volumeMounts = [], ...container }: T): T => {
    const kept = volumeMounts.filter(({ name }) => !TOKEN.test(name));
    return { ...container, ...(kept.length > 0 && { volumeMounts: kept }) } as T;
  };
  return {
    ...omit(spec, ['serviceAccount', 'serviceAccountName']),
    tolerations: tolerations.filter(({ key = '' }) => !key.startsWith('node.kubernetes.io/')),
    volumes: volumes.filter(({ name }) => !TOKEN.test(name)),
    containers: spec.containers.map(unmounted),
    ...(spec.initContainers && { initContainers: spec.initContainers.map(unmounted) }),
  };
}

function omit<T extends object>(object: T, fields: readonly string[]): T {
  return Object.fromEntries(Object.entries(object).filter(([name]) => !fields.includes(name))) as T;
}

const withoutDifferences = (text: string): string =>
  DIFFERENCES.reduce((left, { undo = (same) => same }) => undo(left), text);

/** The object as text. The order of its fields has no meaning. */
function textOf(object: object): string {
  return JSON.stringify(object, (_, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : value,
  );
}

const HOST = { runtime: 'process', network: 'host', imageSource: 'host', config: false } as const;

const image = 'busybox';
const shell = (name: string, script: string): Container => ({ name, image, command: ['sh', '-c', script] });
const sleeping = (name: string): Container => ({ name, image, command: ['sleep', '1000'] });

/** The file is in a volume of the Pod: a second start of the container finds it. */
const failsOnce = (name: string): Container => ({
  ...shell(name, `test -e $PODRUN_VOLUME_ONCE/${name} || { echo > $PODRUN_VOLUME_ONCE/${name}; exit 1; }`),
  volumeMounts: [{ name: 'once', mountPath: '/once' }],
});

const programThatEnds = (name: string, mayRestart: boolean): fc.Arbitrary<Container> =>
  mayRestart
    ? fc.oneof(fc.constant(shell(name, 'exit 0')), fc.constant(failsOnce(name)))
    : fc.constantFrom('exit 0', 'exit 0', 'exit 3', 'kill -9 $$', 'kill -15 $$').map((script) => shell(name, script));

const initContainers = (mayRestart: boolean): fc.Arbitrary<Container[]> =>
  fc
    .array(fc.constantFrom('program', 'sidecar'), { maxLength: 2 })
    .chain((kinds) =>
      fc.tuple(
        ...kinds.map((kind, index) =>
          kind === 'sidecar'
            ? fc.constant<Container>({ ...sleeping(`init-${index}`), restartPolicy: 'Always' })
            : programThatEnds(`init-${index}`, mayRestart),
        ),
      ),
    );

/** A Pod that ends, or with the policy Always one that goes on. */
const podSpec = (policies: readonly ('Always' | 'OnFailure' | 'Never')[]): fc.Arbitrary<PodSpec> =>
  fc.constantFrom(...policies).chain((restartPolicy) => {
    const mayRestart = restartPolicy !== 'Never';
    const containers =
      restartPolicy === 'Always'
        ? fc.constant([sleeping('main-0')])
        : fc
            .integer({ min: 1, max: 2 })
            .chain((count) =>
              fc.tuple(...Array.from({ length: count }, (_, i) => programThatEnds(`main-${i}`, mayRestart))),
            );
    return fc.record({ init: initContainers(mayRestart), containers }).map(({ init, containers: main }) => ({
      restartPolicy,
      terminationGracePeriodSeconds: 1,
      ...(init.length > 0 && { initContainers: init }),
      containers: [...main],
      volumes: [{ name: 'once', emptyDir: {} }],
    }));
  });

const pod = podSpec(['Always', 'OnFailure', 'Never']).map((spec) => ({ apiVersion: 'v1', kind: 'Pod', spec }));

const job = fc
  .record({
    completions: fc.integer({ min: 1, max: 2 }),
    spec: podSpec(['OnFailure', 'Never']),
  })
  .map(({ spec, completions }) => {
    // Restarts within a Pod count as failures. A new Pod would come after 10 s only.
    const backoffLimit = spec.restartPolicy === 'Never' ? 0 : 9;
    return { apiVersion: 'batch/v1', kind: 'Job', spec: { completions, backoffLimit, template: { spec } } };
  });

const deployment = fc.integer({ min: 0, max: 2 }).map((replicas) => {
  const labels = { app: 'web' };
  const template = { metadata: { labels }, spec: { containers: [sleeping('main')], terminationGracePeriodSeconds: 0 } };
  return { apiVersion: 'apps/v1', kind: 'Deployment', spec: { replicas, selector: { matchLabels: labels }, template } };
});

const manifests = fc
  .tuple(fc.array(pod, { minLength: 1, maxLength: 2 }), fc.array(job, { maxLength: 1 }), fc.option(deployment))
  .map(([pods, jobs, web]): KubeObject[] =>
    [...pods, ...jobs, ...(web === null ? [] : [web])].map((object, index) => {
      return { ...object, metadata: { name: `${object.kind.toLowerCase()}-${index}` } };
    }),
  );

/** The present objects of a manifest, in the store of a door. */
interface Look {
  readonly store: FileStore;
  readonly namespace: string;
  readonly objects: readonly KubeObject[];
}

/** True when nothing more happens by itself. */
function isSettled({ store, namespace, objects }: Look): boolean {
  return objects.every((object) => {
    const stored = store.get<StoredKubeObject>(resourceTypeOf(object).plural, namespace, object.metadata.name ?? '');
    if (stored === undefined) return false;
    const { spec, status } = stored as unknown as StoredKubeObject & {
      readonly spec: { readonly replicas?: number };
      readonly status?: StoredPod['status'] & { readonly availableReplicas?: number };
    };
    const holds = (type: string): boolean =>
      (status?.conditions ?? []).some((each) => each.type === type && each.status === 'True');
    if (object.kind === 'Job') return holds('Complete') || holds('Failed');
    if (object.kind === 'Deployment') return (status?.availableReplicas ?? 0) === spec.replicas && holds('Available');
    return holds('Ready') || isTerminalPhase(status?.phase);
  });
}

/** Things of which each has its own order. Two containers are not in step with each other. */
type Tracks = Record<string, string[]>;

function add(tracks: Tracks, name: string, state: string): void {
  const track = (tracks[name] ??= []);
  if (track.at(-1) !== state) track.push(state);
}

/** All states and events of a Pod in the order in which they were recorded. */
function podTracks(store: FileStore, { metadata: { namespace, name, uid } }: StoredPod): Tracks {
  const tracks: Tracks = {};
  for (const line of transitionLines(store.paths(namespace, name).transitions)) {
    const object = parseTransition(line)?.object;
    if (object?.kind === 'Event') {
      const { type, reason, message, involvedObject, count } = object as unknown as StoredEvent;
      const about = involvedObject.fieldPath ?? 'the Pod';
      if (involvedObject.uid === uid) add(tracks, `events: ${about}`, `${type} ${reason} ${count} ${message}`);
      continue;
    }
    const { status, metadata, spec } = object as unknown as StoredPod;
    add(tracks, 'phase', `${status.phase} ${status.reason ?? ''}`);
    const kept = DIFFERENCES.reduce((left: PodSpec, { remove = (same) => same }) => remove(left), spec);
    add(tracks, 'object', textOf({ labels: metadata.labels, annotations: metadata.annotations, spec: kept }));
    for (const { type, status: value, reason } of status.conditions ?? []) {
      add(tracks, `condition: ${type}`, `${value} ${reason ?? ''}`);
    }
    for (const each of [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])]) {
      const { name: container, state = {}, restartCount, ready, started } = each;
      const { waiting, terminated } = state;
      const phase = waiting?.reason ?? (terminated && `${terminated.reason} ${terminated.exitCode}`) ?? 'running';
      add(
        tracks,
        `container: ${container}`,
        `${phase} ${restartCount} ${ready ? 'ready' : ''} ${started ? 'started' : ''}`,
      );
    }
  }
  return tracks;
}

/** The record of a door: the tracks of each Pod, and the conditions and events of workloads. */
function storyOf({ store, namespace }: Look): string[] {
  const pods = store.list<StoredPod>('pods', { namespace });
  const uids = new Set(pods.map(({ metadata }) => metadata.uid));
  const events = store.list<StoredEvent>('events', { namespace }).flatMap((event) => {
    const { involvedObject: about, reason, message, type } = event;
    return uids.has(about.uid ?? '') ? [] : [`${about.kind}/${about.name}: ${type} ${reason} ${message}`];
  });
  const workloads = ['jobs', 'deployments', 'replicasets'].flatMap((resource) =>
    store.list<StoredKubeObject>(resource, { namespace }).map((object) => {
      const { conditions = [], ...counts } = (object['status'] ?? {}) as { conditions?: Record<string, unknown>[] };
      const known = conditions.map(({ type, status, reason }) => `${String(type)} ${String(status)} ${String(reason)}`);
      const { labels, annotations, name } = object.metadata;
      const times = /"(startTime|completionTime)":"[^"]*"/g;
      const text = textOf({ labels, annotations, spec: object['spec'] as object, known, counts });
      return `${object.kind}/${name}: ${text.replaceAll(times, '"$1":"TIME"')}`;
    }),
  );
  const told = pods.flatMap((each) =>
    Object.entries(podTracks(store, each)).map(([what, states]) => {
      const isRace = DIFFERENCES.some((difference) => difference.isRace?.(what, each.spec));
      return `Pod/${each.metadata.name}, ${what}: ${isRace ? states.at(-1) : states.join(' > ')}`;
    }),
  );
  return [...told, ...workloads, ...events].map(withoutDifferences).toSorted();
}

const storeAt = (root: string): FileStore =>
  new FileStore({ root, clock: new SystemClock(), processes: localProcesses });

/** The path at which a client makes objects of this kind. */
function collectionOf({ apiVersion, kind }: KubeObject, namespace: string): string {
  const { plural } = resourceTypeOf({ apiVersion, kind });
  return `${apiVersion === 'v1' ? '/api/v1' : `/apis/${apiVersion}`}/namespaces/${namespace}/${plural}`;
}

/** Makes objects as a client of a server does. */
async function post(kubeconfig: string, to: string, object: object): Promise<void> {
  const { token, ...place } = serverOf(kubeconfig);
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const code = await new Promise((resolve, reject) => {
    const sent = request({ ...place, path: to, method: 'POST', headers, servername: 'localhost' }, (answer) => {
      answer.resume().on('end', () => resolve(answer.statusCode));
    });
    sent.on('error', reject).end(JSON.stringify(object));
  });
  expect(code).toBe(201);
}

const workshop = workshopForEach();
const program = serveForFile('--network', 'host', '--runtime', 'process');
let server: KubernetesServer;

beforeAll(async () => {
  server = await serve(HOST);
});
afterAll(() => server.close());

async function create(kubeconfig: string, { namespace, objects }: Omit<Look, 'store'>): Promise<void> {
  await post(kubeconfig, '/api/v1/namespaces', { metadata: { name: namespace } });
  for (const object of objects) await post(kubeconfig, collectionOf(object, namespace), object);
}

it('the same manifests have the same states and events at every door', { timeout: RUNS * 60_000 }, async () => {
  let runs = 0;
  const property = fc.asyncProperty(manifests, async (objects) => {
    const namespace = `run-${(runs += 1)}`;
    const yaml = objects.map((object) => stringify(object)).join('---\n');
    const at = (root: string): Look => ({ store: storeAt(root), namespace, objects });
    const folder = workshop.folderNamed(namespace);
    const stateDirs = { apply: `${folder}/apply`, detached: `${folder}/detached`, library: `${folder}/library` };
    const flags = ['-n', namespace, '-f', workshop.file(`${namespace}.yaml`, yaml), '--network', 'host'];
    const applied = workshop.start(['apply', ...flags, '--state-dir', stateDirs.apply]);
    const [, , pods] = await Promise.all([
      workshop.run(['apply', '--detach', ...flags, '--state-dir', stateDirs.detached]),
      Promise.all([program.kubeconfig, server.kubeconfig].map((one) => create(one, { namespace, objects }))),
      run({ yaml }, { ...HOST, namespace, stateDir: stateDirs.library }),
    ]);
    const looks: Record<Door, Look> = {
      apply: at(stateDirs.apply),
      detached: at(stateDirs.detached),
      library: at(stateDirs.library),
      serve: at(program.workshop.stateDir),
      'library serve': at(path.dirname(path.dirname(server.kubeconfig))),
    };
    const doors = Object.entries(looks);
    try {
      await expect.poll(() => doors.filter(([, look]) => !isSettled(look)).map(([door]) => door), SOON).toEqual([]);
      // The last events of settled objects come in a moment.
      await expect.poll(() => differing(doors), SOON).toEqual({});
    } finally {
      applied.signal('SIGINT');
      const stopped = ['delete', 'deployments,jobs,pods', '--all', '-n', namespace, '--force', '--grace-period=0'];
      await Promise.all([
        applied.ended,
        pods.close(),
        ...[stateDirs.detached, program.workshop.stateDir].map((dir) => workshop.run([...stopped, '--state-dir', dir])),
      ]);
    }
  });
  await fc.assert(property, { numRuns: RUNS, endOnFailure: true });
});

/** The doors whose stories are not that of `apply`, with the lines that only one of the two has. */
function differing(doors: readonly (readonly [door: string, look: Look])[]): Record<string, object> {
  const [first = [], ...others] = doors.map(([, look]) => storyOf(look));
  return Object.fromEntries(
    others.flatMap((story, index) => {
      const [here, there] = [without(story, first), without(first, story)];
      return here.length + there.length === 0 ? [] : [[doors[index + 1]?.[0] ?? '', { here, 'with apply': there }]];
    }),
  );
}

/** The lines without the others, each of which stands for one line. */
function without(lines: readonly string[], others: readonly string[]): string[] {
  const left = [...others];
  return lines.filter((line) => {
    const index = left.indexOf(line);
    if (index !== -1) left.splice(index, 1);
    return index === -1;
  });
}
