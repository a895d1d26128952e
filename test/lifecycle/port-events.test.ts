import { expect, it } from 'vitest';
import { listensOnLocalhost, type PortOwner, portTaken } from '../../src/lifecycle/texts/port-events.ts';

const of: { readonly type: 'container'; readonly pod: string; readonly container: string; readonly pid: number } = {
  type: 'container',
  pod: 'web',
  container: 'app',
  pid: 4711,
};

it.each<[PortOwner, boolean | 'everywhere', string]>([
  [
    { ...of, namespace: undefined },
    true,
    'port 8080 is taken by pod/web container app (pid 4711); bind to $POD_IP or use --network cluster',
  ],
  [
    { ...of, namespace: undefined },
    'everywhere',
    'port 8080 is taken by pod/web container app (pid 4711) at all addresses; ' +
      'use --network cluster, or let both Pods bind to $POD_IP',
  ],
  [
    { ...of, namespace: undefined },
    false,
    'port 8080 is taken by pod/web container app (pid 4711); end that process, or use another port',
  ],
  [
    { ...of, namespace: 'shop' },
    true,
    'port 8080 is taken by pod/web in namespace shop, container app (pid 4711); ' +
      'bind to $POD_IP or use --network cluster',
  ],
  [
    { ...of, namespace: undefined, workload: 'deployment/web' },
    true,
    'port 8080 is taken by pod/web container app (pid 4711): replicas of deployment/web share port 8080; ' +
      'use --network cluster, or bind to $POD_IP',
  ],
  [{ type: 'samePod', container: 'app', pid: 7 }, true, 'port 8080 is taken by container app of the same Pod (pid 7)'],
  [
    { type: 'program', program: 'nginx', pid: 123 },
    true,
    'port 8080 is taken by nginx (pid 123); bind to $POD_IP or use --network cluster',
  ],
  [
    { type: 'program', program: 'nginx', pid: 123 },
    'everywhere',
    'port 8080 is taken by nginx (pid 123) at all addresses; end that process, use another port or --network cluster',
  ],
  [
    { type: 'unknown' },
    false,
    'port 8080 is taken by a process of another user; end that process, or use another port',
  ],
  [
    { type: 'unknown', uid: 33 },
    false,
    'port 8080 is taken by a process of user 33 that podrun cannot see; end that process, or use another port',
  ],
])('a port that %j has (an address of its own: %s)', (owner, address, message) => {
  const place = { hasOwnAddress: address !== false, isEverywhere: address === 'everywhere' };
  expect(portTaken('main', { port: 8080, owner, ...place })).toEqual({
    type: 'Warning',
    reason: 'PortTaken',
    message,
    container: 'main',
    component: 'podrun',
  });
});

it('a server that probes cannot reach', () => {
  const address = { address: '127.0.0.1:8080', podIP: '127.93.4.17' };
  expect(listensOnLocalhost('main', address).message).toBe(
    "container main listens on 127.0.0.1:8080 only, and probes go to the Pod's address 127.93.4.17, as on a node; " +
      'bind to 0.0.0.0 or to $POD_IP',
  );
});
