import { expect, it, vi } from 'vitest';
import { startTimeOf } from '../../src/runtime/watch/process-identity.ts';
import { PATIENT } from '../patience.ts';
import { placeWithNetwork } from './network-place.ts';

it('leaves no network of a Pod whose agent was killed a moment before', async (context) => {
  const place = placeWithNetwork(context, { who: 'root', tier: 'process' });
  const spec = { terminationGracePeriodSeconds: 1, containers: [{ name: 'main', command: ['sleep', '1000'] }] };
  const pods = ['one', 'two', 'three'].map((name) => place.workshop.pod(name, spec));
  const flags = ['--network', 'cluster', '--runtime', 'process'];
  expect((await place.start(['apply', '--detach', '--wait', ...pods, ...flags]).ended).exitCode).toBe(0);
  const holders = ['one', 'two', 'three'].map((name) => place.holderOf(name));
  process.kill(place.agentOf('one'), 'SIGKILL');
  await place.start(['delete', 'pods', '--all', '--force', '--grace-period=0']).ended;
  await vi.waitUntil(() => holders.every((pid) => startTimeOf(pid) === undefined), PATIENT);
});
