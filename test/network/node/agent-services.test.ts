import { expect, it } from 'vitest';
import { AgentServices } from '../../../src/network/node/agent-services.ts';
import type { ServiceListener } from '../../../src/network/base/service-listener.ts';
import { ManualClock } from '../../../src/simulation/manual-clock.ts';
import { endpoint, service, slice } from '../objects.ts';

const NODE = { name: 'a', labels: {}, taints: [], allocatable: {}, hostIPs: ['127.0.0.1'] as [string] };
const TAKEN =
  'PortTaken: cannot serve 127.96.0.9:8080: server-8080 (pid 7) listens on this port; ' +
  'use --network cluster, or another port';

it('a port that is taken is tried again, and reported at the fourth failure', async () => {
  const clock = new ManualClock(0);
  const tried: number[] = [];
  const told: string[] = [];
  let isTaken = true;
  const services = new AgentServices({
    network: 'host',
    nodes: () => [],
    clock,
    listeners: {
      update: (listeners: readonly ServiceListener[]) => {
        tried.push(clock.now().monotonicMs);
        const error = Object.assign(new Error('taken'), { code: 'EADDRINUSE' });
        return Promise.resolve(isTaken ? listeners.map((listener) => ({ listener, error })) : []);
      },
      close: () => undefined,
    },
    ownerOf: (port) => Promise.resolve({ type: 'program', program: `server-${port}`, pid: 7 }),
    record: (_, { reason, message }) => told.push(`${reason}: ${message}`),
    onTrouble: (error) => {
      throw error;
    },
    onServed: () => undefined,
  });
  const web = service('web', { clusterIP: '127.96.0.9', ports: [{ port: 8080 }] });
  let isShown = false;
  void services.show([web], [slice('web', [endpoint('127.1.2.3')])]).then(() => (isShown = true));
  await clock.run(50);
  expect({ tries: tried.length, told }).toEqual({ tries: 1, told: [] });
  await clock.run(500);
  expect({ tries: tried.length, told, isShown }).toEqual({ tries: 3, told: [], isShown: false });
  await clock.run(100);
  expect({ tries: tried.length, told, isShown }).toEqual({ tries: 4, told: [TAKEN], isShown: true });
  await clock.run(2000);
  expect({ tries: tried.length, told }).toEqual({ tries: 5, told: [TAKEN] });
  isTaken = false;
  await clock.run(4000);
  expect({ tries: tried.length, told }).toEqual({
    tries: 6,
    told: [TAKEN, 'ServiceServed: http://127.96.0.9:8080'],
  });
});

it('fields that need the nodes of clients are reported where these are not known', async () => {
  const told: string[] = [];
  const nodes = ['a', 'b'].map((name) => ({ ...NODE, name }));
  const show = async (network: 'host' | 'cluster', facts: typeof nodes): Promise<string[]> => {
    const services = new AgentServices({
      network,
      nodes: () => facts,
      clock: new ManualClock(0),
      listeners: { update: () => Promise.resolve([]), close: () => undefined },
      ownerOf: () => Promise.resolve(undefined),
      record: (_, { reason, message }) => told.push(`${reason}: ${message}`),
      onTrouble: () => undefined,
      onServed: () => undefined,
    });
    const spec = {
      clusterIP: '127.96.0.9',
      internalTrafficPolicy: 'Local',
      trafficDistribution: 'PreferSameNode',
    } as const;
    await services.show([service('web', spec)], []);
    return told.splice(0).filter((text) => text.startsWith('FieldHasNoEffect'));
  };
  expect(await show('host', nodes)).toEqual([
    'FieldHasNoEffect: spec.internalTrafficPolicy, spec.trafficDistribution: the node of a client is not known in ' +
      'the network of this machine; with --network cluster it is',
  ]);
  expect(await show('host', nodes.slice(1))).toEqual([]);
  expect(await show('cluster', nodes)).toEqual([]);
});

it('a Service is reported as served once: when its endpoints are known, and the listeners have them', async () => {
  const clock = new ManualClock(0);
  const served: string[] = [];
  const told: string[] = [];
  let updated = (): void => undefined;
  const services = new AgentServices({
    network: 'host',
    nodes: () => [],
    clock,
    listeners: {
      update: () => new Promise((resolve) => (updated = () => resolve([]))),
      close: () => undefined,
    },
    record: (_, { reason, message }) => told.push(`${reason} ${message}`),
    onTrouble: () => undefined,
    ownerOf: () => Promise.resolve(undefined),
    onServed: ({ metadata }) => served.push(metadata.name),
  });
  const web = service('web', {
    clusterIP: '127.96.0.9',
    ports: [{ port: 8080, nodePort: 30080 }],
    selector: { app: 'web' },
  });
  let shown = 0;
  const show = async (slices: Parameters<typeof services.show>[1]): Promise<void> => {
    void services.show([web], slices).then(() => (shown += 1));
    await clock.run(1);
  };
  await show([]);
  updated();
  await show([slice('web', [endpoint('127.1.2.3')])]);
  expect({ served, shown }).toEqual({ served: [], shown: 1 });
  updated();
  await clock.run(1);
  expect({ served, shown }).toEqual({ served: ['web'], shown: 2 });
  await show([slice('web', [])]);
  updated();
  await clock.run(1);
  expect(served).toEqual(['web']);
  expect(told).toEqual(['ServiceServed http://127.96.0.9:8080  http://127.0.0.1:30080']);
});
