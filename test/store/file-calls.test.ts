import { beforeEach, expect, it, vi } from 'vitest';
import { ManualClock } from '../../src/simulation/manual-clock.ts';
import { newPod } from './objects.ts';
import { openStore, temporaryFolder } from './temporary-store.ts';

/** The number of calls by function since the test began. */
const calls = vi.hoisted(() => new Map<string, number>());

// Counts the calls; they do what they always do.
vi.mock('node:fs', async (importOriginal) => {
  const fs = await importOriginal<Record<string, unknown>>();
  const counted = Object.entries(fs).map(([name, value]) => {
    if (typeof value !== 'function' || !name.endsWith('Sync')) return [name, value];
    const call = (...args: unknown[]): unknown => {
      calls.set(name, (calls.get(name) ?? 0) + 1);
      return (value as (...args: unknown[]) => unknown)(...args);
    };
    return [name, Object.assign(call, value)];
  });
  return Object.fromEntries(counted) as Record<string, unknown>;
});

beforeEach(() => calls.clear());

const reads = (): number => (calls.get('readFileSync') ?? 0) + (calls.get('readSync') ?? 0);

it('reads no object again that this process has written, nor one that has not changed', () => {
  const clock = new ManualClock();
  const [root, names] = [temporaryFolder(), Array.from({ length: 50 }, (_, number) => `map-${number}`)];
  const store = openStore(root, clock);
  const events: string[] = [];
  store.watch('configmaps', {}, ({ type, object }) => events.push(`${type} ${object.metadata.name}`));
  for (const name of names) store.create('configmaps', newPod(name));
  expect(events).toEqual(names.map((name) => `ADDED ${name}`));
  calls.clear();
  clock.advance(10_000);
  expect(reads()).toBe(0);
  const other = openStore(root);
  other.change('configmaps', { namespace: 'default', name: 'map-7' }, 'object', (map) => {
    return { ...map, metadata: { ...map.metadata, labels: { x: 'y' } } };
  });
  calls.clear();
  clock.advance(10_000);
  expect(events.slice(names.length)).toEqual(['MODIFIED map-7']);
  expect(reads()).toBe(1);
});
