import { describe, expect, it } from 'vitest';
import type { StoredPod, StoredService } from '../../src/api/base/objects.ts';
import type { NodeFacts } from '../../src/lifecycle/base/node-facts.ts';
import type { StoredEndpoints, StoredEndpointSlice } from '../../src/api/workloads/endpoint-slices.ts';
import { podEndpoint, TRIGGER_TIME } from '../../src/controllers/service/pod-endpoint.ts';
import { type Histories, passesThrough } from './histories.ts';
import { readTrace, replay, traceNames } from './replay.ts';
import { World, type WorldObject } from './world.ts';

const START = Date.parse('2026-01-01T00:00:00Z');
const WEB = { selector: { app: 'web' }, ports: [{ name: 'http', port: 80, targetPort: 8080, protocol: 'TCP' }] };

function newWorld(spec: object = WEB, labels?: Record<string, string>): World {
  const world = new World(START);
  const metadata = { name: 'web', namespace: 'default', ...(labels && { labels }) };
  world.create({ apiVersion: 'v1', kind: 'Service', metadata, spec }, 'service');
  world.settle();
  return world;
}

interface PodOptions {
  readonly ip?: string;
  readonly ready?: boolean;
  readonly phase?: string;
  readonly spec?: object;
}

/** Adds a Pod of the Service, and lets the controllers look. */
function addPod(world: World, name: string, options?: PodOptions): void {
  putPod(world, name, options);
  world.settle();
}

function putPod(world: World, name: string, { ip, ready = true, phase = 'Running', spec = {} }: PodOptions = {}): void {
  const status = {
    phase,
    podIP: ip ?? `10.0.0.${world.pods().length + 1}`,
    conditions: [{ type: 'Ready', status: ready ? 'True' : 'False', lastTransitionTime: '2026-01-01T00:00:05Z' }],
  };
  const metadata = { name, namespace: 'default', labels: { app: 'web' } };
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata, spec: { containers: [{ name: 'a' }], ...spec }, status };
  world.create(pod, name);
}

const slicesOf = (world: World): StoredEndpointSlice[] =>
  world.list('EndpointSlice') as unknown as StoredEndpointSlice[];

function conditionsOf(world: World): Record<string, unknown> {
  const endpoints = slicesOf(world).flatMap((slice) => slice.endpoints ?? []);
  return Object.fromEntries(endpoints.map(({ targetRef, conditions }) => [targetRef?.name, conditions]));
}

describe('an EndpointSlice', () => {
  it('exists before any Pod, without endpoints and ports', () => {
    const [slice, ...others] = slicesOf(newWorld(WEB, { tier: 'front' }));
    expect(others).toEqual([]);
    expect(slice).toMatchObject({
      metadata: {
        generateName: 'web-',
        labels: {
          tier: 'front',
          'kubernetes.io/service-name': 'web',
          'endpointslice.kubernetes.io/managed-by': 'endpointslice-controller.k8s.io',
        },
        annotations: { [TRIGGER_TIME]: '2026-01-01T00:00:00.000000Z' },
        ownerReferences: [{ kind: 'Service', name: 'web', controller: true, blockOwnerDeletion: true }],
      },
      addressType: 'IPv4',
      endpoints: null,
      ports: null,
    });
    expect(slice?.metadata.name).toMatch(/^web-[a-z0-9]{5}$/);
  });

  it.each([
    ['ready', { ready: true }, {}, { ready: true, serving: true, terminating: false }],
    ['not ready', { ready: false }, {}, { ready: false, serving: false, terminating: false }],
    [
      'published',
      { ready: false },
      { publishNotReadyAddresses: true },
      { ready: true, serving: false, terminating: false },
    ],
    ['Succeeded', { phase: 'Succeeded', ready: false }, {}, undefined],
    ['Failed', { phase: 'Failed', ready: false }, {}, undefined],
    ['without an address', { ip: '' }, {}, undefined],
  ])('shows a Pod that is %s', (_, pod, spec, conditions) => {
    const world = newWorld({ ...WEB, ...spec });
    addPod(world, 'a', pod);
    expect(conditionsOf(world)['a']).toEqual(conditions);
  });

  it.each([
    [true, {}, { ready: false, serving: true, terminating: true }],
    [false, {}, { ready: false, serving: false, terminating: true }],
    [true, { publishNotReadyAddresses: true }, { ready: true, serving: true, terminating: true }],
  ])('shows a Pod that is being deleted and ready: %s %o', (ready, spec, conditions) => {
    const world = newWorld({ ...WEB, ...spec });
    addPod(world, 'a', { ready });
    world.delete('a', 'Background');
    world.settle();
    expect(conditionsOf(world)['a']).toEqual(conditions);
    expect(slicesOf(world)[0]?.metadata.annotations).toBeUndefined();
  });

  it('has a hostname for a Pod whose subdomain is the Service', () => {
    const world = newWorld({ ...WEB, clusterIP: 'None' });
    addPod(world, 'a', { spec: { hostname: 'web-0', subdomain: 'web' } });
    addPod(world, 'b', { spec: { hostname: 'other', subdomain: 'elsewhere' } });
    const [slice] = slicesOf(world);
    expect(slice?.endpoints?.map(({ hostname }) => hostname)).toEqual(['web-0', undefined]);
    expect(slice?.metadata.labels?.['service.kubernetes.io/headless']).toBe('');
  });

  it('is one for each set of ports', () => {
    const world = newWorld({ selector: { app: 'web' }, ports: [{ port: 80, targetPort: 'http', protocol: 'TCP' }] });
    const withPort = (containerPort: number, name = 'http'): PodOptions => ({
      spec: { containers: [{ name: 'a', ports: [{ name, containerPort, protocol: 'TCP' }] }] },
    });
    addPod(world, 'a', withPort(8081));
    addPod(world, 'b', withPort(8082));
    addPod(world, 'c', withPort(8081));
    addPod(world, 'd', withPort(8081, 'other'));
    const content = slicesOf(world).map(({ ports, endpoints }) => [
      ports?.map(({ port }) => port),
      endpoints?.map(({ targetRef }) => targetRef?.name),
    ]);
    expect(content).toEqual([
      [[8081], ['a', 'c']],
      [[8082], ['b']],
      [[], ['d']],
    ]);
  });

  it('finds the port of a sidecar, and not one of another protocol', () => {
    const world = newWorld({ selector: { app: 'web' }, ports: [{ port: 53, targetPort: 'dns', protocol: 'UDP' }] });
    const ports = (protocol: string, containerPort: number): object => [{ name: 'dns', containerPort, protocol }];
    const initContainers = [{ name: 'side', restartPolicy: 'Always', ports: ports('UDP', 5353) }];
    addPod(world, 'a', { spec: { containers: [{ name: 'a', ports: ports('TCP', 1) }], initContainers } });
    expect(slicesOf(world)[0]?.ports).toEqual([{ name: '', port: 5353, protocol: 'UDP' }]);
  });

  it('has at most 100 endpoints, and an endpoint stays where it is', () => {
    const world = newWorld();
    for (let index = 0; index < 100; index++) putPod(world, `pod-${index}`, { ip: `10.0.1.${index}` });
    world.settle();
    addPod(world, 'pod-100', { ip: '10.0.1.100' });
    const sizes = (): number[] => slicesOf(world).map(({ endpoints }) => endpoints?.length ?? 0);
    expect(sizes()).toEqual([100, 1]);
    world.setStatus('pod-5', { phase: 'Failed', podIP: '10.0.1.5' });
    world.settle();
    expect(sizes()).toEqual([99, 1]);
    addPod(world, 'late', { ip: '10.0.2.1' });
    expect(sizes()).toEqual([100, 1]);
  });

  it('follows the labels of its Service', () => {
    const world = newWorld(WEB, { tier: 'front', old: 'yes' });
    world.update('service', { metadata: { labels: { tier: 'back', old: null } } });
    world.settle();
    expect(slicesOf(world)[0]?.metadata.labels).toEqual({
      tier: 'back',
      'kubernetes.io/service-name': 'web',
      'endpointslice.kubernetes.io/managed-by': 'endpointslice-controller.k8s.io',
    });
  });

  it('goes with its Service, and one written by hand stays', () => {
    const world = newWorld();
    const labels = { 'kubernetes.io/service-name': 'web', 'endpointslice.kubernetes.io/managed-by': 'me' };
    const metadata = { name: 'mine', namespace: 'default', labels };
    const mine = {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata,
      addressType: 'IPv4',
      endpoints: [],
    };
    world.create(mine, 'mine');
    addPod(world, 'a');
    world.delete('service', 'Background');
    world.settle();
    expect(slicesOf(world).map(({ metadata: { name } }) => name)).toEqual(['mine']);
    expect(world.writes.filter(({ object, type }) => object.metadata.uid === 'mine' && type !== 'ADDED')).toEqual([]);
  });

  it.each([[{ ports: WEB.ports }], [{ type: 'ExternalName', externalName: 'x.org', selector: { app: 'web' } }]])(
    'is not made for %o',
    (spec) => {
      const world = newWorld(spec);
      addPod(world, 'a');
      expect(slicesOf(world)).toEqual([]);
      expect(world.list('Endpoints')).toEqual([]);
    },
  );
});

describe('Endpoints', () => {
  it('list ready and unready addresses, without Pods that terminate', () => {
    const world = newWorld(WEB, { tier: 'front' });
    for (const [name, ready] of [
      ['a', true],
      ['b', false],
      ['c', true],
    ] as const)
      addPod(world, name, { ready });
    world.delete('c', 'Background');
    world.settle();
    const [endpoints] = world.list('Endpoints') as unknown as StoredEndpoints[];
    expect(endpoints?.metadata).toMatchObject({ name: 'web', labels: { tier: 'front' } });
    expect(endpoints?.subsets).toMatchObject([
      {
        addresses: [{ ip: '10.0.0.1', targetRef: { kind: 'Pod', name: 'a' } }],
        notReadyAddresses: [{ ip: '10.0.0.2', targetRef: { kind: 'Pod', name: 'b' } }],
        ports: [{ name: 'http', port: 8080, protocol: 'TCP' }],
      },
    ]);
  });

  it('have no subsets without Pods', () => {
    expect(newWorld().list('Endpoints')[0]?.['subsets']).toBeUndefined();
  });
});

/** Traces whose times differ: a cluster's controller had seen a Pod before it had an address, or joined two changes. */
const OTHER_TIMES = new Set(['svc-named-target-port', 'svc-reaches-all-replicas']);

describe('the hints of an endpoint', () => {
  const labels = { 'topology.kubernetes.io/zone': 'north' };
  const at = (trafficDistribution: string | undefined, isReady = true, ofNode: object = { labels }): unknown => {
    const conditions = [{ type: 'Ready', status: isReady ? 'True' : 'False' }];
    const pod = { metadata: {}, spec: { nodeName: 'a' }, status: { podIP: '10.0.0.1', conditions } } as unknown;
    const service = { metadata: { name: 'web' }, spec: { trafficDistribution } } as unknown;
    return podEndpoint(pod as StoredPod, service as StoredService, ofNode as NodeFacts).hints;
  };

  it.each<[string, unknown, unknown]>([
    ['are none', at(undefined), undefined],
    ['name its zone', at('PreferSameZone'), { forZones: [{ name: 'north' }] }],
    ['name its zone by the old word', at('PreferClose'), { forZones: [{ name: 'north' }] }],
    ['name its node as well', at('PreferSameNode'), { forZones: [{ name: 'north' }], forNodes: [{ name: 'a' }] }],
    ['are none without a zone', at('PreferSameZone', true, { labels: {} }), undefined],
    ['are none before it is ready', at('PreferSameNode', false), undefined],
  ])('%s', (_, hints, want) => {
    expect(hints).toEqual(want);
  });
});

describe('Services do what a cluster did', () => {
  it.each(traceNames().filter((name) => name.startsWith('svc-')))('%s', async (name) => {
    const lines = readTrace(name);
    const replayed = await replay(lines);
    const recorded = replayed.recorded().filter(({ kind }) => kind === 'EndpointSlice');
    expect(replayed.world.writes.filter(({ type, object }) => isNewSlice(type, object)).length).toBe(recorded.length);
    for (const { metadata } of recorded) {
      const theirs = sliceHistories(
        lines.flatMap(({ object }) => (object?.metadata.uid === metadata.uid ? [object] : [])),
      );
      const uid = replayed.ours(metadata.uid)?.metadata.uid;
      const ours = sliceHistories(
        replayed.world.writes.flatMap(({ object }) => (object.metadata.uid === uid ? [object] : [])),
      );
      for (const [field, values] of Object.entries(theirs)) {
        if (field === 'time' && OTHER_TIMES.has(name)) continue;
        const own = ours[field] ?? [];
        expect(passesThrough(own, values), `${field}: ${own.join(', ')}; there: ${values.join(', ')}`).toBe(true);
      }
    }
  });
});

function isNewSlice(type: string, { kind }: WorldObject): boolean {
  return type === 'ADDED' && kind === 'EndpointSlice';
}

/** The distinct values of the fields of a slice, and of each endpoint, in order. */
function sliceHistories(versions: readonly WorldObject[]): Histories {
  const histories: Record<string, string[]> = {};
  for (const version of versions) {
    const { endpoints, ports, metadata } = version as unknown as StoredEndpointSlice;
    const fields: Record<string, unknown> = {
      labels: Object.entries(metadata.labels ?? {})
        .map((label) => label.join('='))
        .toSorted((a, b) => (a < b ? -1 : 1)),
      // The world of the test has times with fractions.
      time: metadata.annotations?.[TRIGGER_TIME]?.replace(/\.\d+/, ''),
      ports: ports?.map(({ name, port, protocol }) => [name, port, protocol]),
    };
    for (const { conditions = {}, hostname, nodeName, addresses } of endpoints ?? []) {
      const { ready, serving, terminating } = conditions;
      fields[addresses.join()] = [ready, serving, terminating, hostname, nodeName];
    }
    for (const name of new Set([...Object.keys(histories), ...Object.keys(fields)])) {
      const history = (histories[name] ??= []);
      const value = JSON.stringify(fields[name] ?? '-');
      if (history.at(-1) !== value) history.push(value);
    }
  }
  return histories;
}

describe('Endpoints that a user has written for a Service without a selector', () => {
  const OUTSIDE = { ports: WEB.ports };
  const endpoints = {
    apiVersion: 'v1',
    kind: 'Endpoints',
    metadata: { name: 'web', namespace: 'default', labels: { app: 'old' } },
    subsets: [
      {
        addresses: [{ ip: '10.1.1.1', hostname: 'a' }],
        notReadyAddresses: [{ ip: '10.1.1.2' }],
        ports: [{ name: 'http', port: 9000, protocol: 'TCP' }],
      },
    ],
  };

  it('are mirrored', () => {
    const world = newWorld(OUTSIDE);
    expect(slicesOf(world)).toEqual([]);
    world.create(endpoints, 'endpoints');
    world.settle();
    const [slice, ...others] = slicesOf(world);
    expect(others).toEqual([]);
    expect(slice).toMatchObject({
      metadata: {
        generateName: 'web-',
        labels: {
          app: 'old',
          'kubernetes.io/service-name': 'web',
          'endpointslice.kubernetes.io/managed-by': 'endpointslicemirroring-controller.k8s.io',
        },
        ownerReferences: [{ kind: 'Endpoints', name: 'web', uid: 'endpoints', controller: true }],
      },
      addressType: 'IPv4',
      endpoints: [
        { addresses: ['10.1.1.1'], hostname: 'a', conditions: { ready: true } },
        { addresses: ['10.1.1.2'], conditions: { ready: false } },
      ],
      ports: [{ name: 'http', port: 9000, protocol: 'TCP' }],
    });
    world.update('endpoints', { subsets: [{ addresses: [{ ip: '10.1.1.3' }], ports: [{ port: 80 }] }] });
    world.settle();
    const [changed, ...more] = slicesOf(world);
    expect(more).toEqual([]);
    expect(changed).toMatchObject({ endpoints: [{ addresses: ['10.1.1.3'] }], ports: [{ name: '', port: 80 }] });
    world.update('endpoints', { subsets: null });
    world.settle();
    expect(slicesOf(world)).toEqual([]);
  });

  it('are left alone where they say so', () => {
    const world = newWorld(OUTSIDE);
    const labels = { 'endpointslice.kubernetes.io/skip-mirror': 'true' };
    world.create({ ...endpoints, metadata: { ...endpoints.metadata, labels } }, 'endpoints');
    world.settle();
    expect(slicesOf(world)).toEqual([]);
  });
});
