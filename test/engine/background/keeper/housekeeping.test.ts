import { expect, it } from 'vitest';
import { Housekeeping } from '../../../../src/engine/background/keeper/housekeeping.ts';
import { type Kept, newKept } from '../../../../src/engine/background/keeper/kept.ts';
import { ManualClock } from '../../../../src/simulation/manual-clock.ts';

const LOOK_MS = 2000;

/** A keeper of two containers, of Pods that the store has, and what is done to them. */
function keeping() {
  const clock = new ManualClock();
  const done: string[] = [];
  const stored = new Set(['u', 'v']);
  const agent = { isConnected: false };
  const kept = [...stored].map((uid): Kept => {
    const launch = {
      id: `${uid}/main/0`,
      argv: ['main'] as const,
      env: {},
      cwd: '/',
      stdin: false,
      stopSignal: 'SIGINT',
    };
    const target = { namespace: 'default', name: uid, uid, container: 'main', attempt: 0 };
    const container = newKept(launch, target, undefined as never);
    container.running = {
      pid: 0,
      startedAt: clock.now(),
      signal: (name) => done.push(`${uid} ${name}`) === 0,
      kill: () => void done.push(`${uid} kill`),
    };
    return container;
  });
  const housekeeping = new Housekeeping({
    clock,
    kept: () => kept,
    isStored: ({ uid }) => stored.has(uid),
    hasAgent: () => agent.isConnected,
  });
  return { clock, done, stored, agent, kept, housekeeping };
}

it('a container whose Pod is gone gets its stop signal after two looks, and is killed two seconds later', () => {
  const { clock, done, stored } = keeping();
  clock.advance(5 * LOOK_MS);
  expect(done).toEqual([]);
  stored.delete('u');
  clock.advance(LOOK_MS);
  expect(done).toEqual([]);
  clock.advance(LOOK_MS);
  expect(done).toEqual(['u SIGINT']);
  clock.advance(LOOK_MS);
  expect(done).toEqual(['u SIGINT', 'u kill']);
});

it('a container whose Pod was gone for one look only runs on', () => {
  const { clock, done, stored } = keeping();
  for (let times = 0; times < 3; times++) {
    stored.delete('u');
    clock.advance(LOOK_MS);
    stored.add('u');
    clock.advance(LOOK_MS);
  }
  expect(done).toEqual([]);
});

it('an agent that is connected ends such a Pod itself', () => {
  const { clock, done, stored, agent } = keeping();
  stored.clear();
  agent.isConnected = true;
  clock.advance(10 * LOOK_MS);
  expect(done).toEqual([]);
  agent.isConnected = false;
  clock.advance(2 * LOOK_MS);
  expect(done).toEqual(['u SIGINT', 'v SIGINT']);
});

it('a container that has ended is left alone', () => {
  const { clock, done, stored, kept } = keeping();
  stored.clear();
  for (const each of kept) each.exit = { exitCode: 0, signal: undefined, oomKilled: false, at: clock.now() };
  clock.advance(10 * LOOK_MS);
  expect(done).toEqual([]);
});
