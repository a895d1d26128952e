import { readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { needs } from '../needs.ts';
import { inShort, newEvent, newPod, withPhase } from './objects.ts';
import { openStore, temporaryFolder } from './temporary-store.ts';

const PODS = 600;
/** The descriptors for Pods that were used last, and some that Node.js opens by itself. */
const OPEN_MAX = 420;

const openFiles = (): number => readdirSync('/proc/self/fd').length;

it('Pods that wait cost no descriptor each, and each change of them is reported', needs('Linux'), () => {
  const root = temporaryFolder();
  const store = openStore(root);
  const events: string[] = [];
  store.watch('pods', {}, (event) => events.push(inShort(event)));
  const before = openFiles();
  const names = Array.from({ length: PODS }, (_, index) => `pod-${index}`);
  for (const name of names) {
    store.create('pods', newPod(name));
    store.create('events', newEvent(`${name}.1`, name, 'waits'));
  }
  expect(openFiles() - before).toBeLessThan(OPEN_MAX);
  // The first ones were used long ago.
  for (const name of names) store.updateStatus('pods', withPhase(newPod(name), 'Running'));
  for (const name of names) store.delete('pods', 'default', name);
  expect(events).toEqual([
    ...names.map((name) => `ADDED default/${name} Pending`),
    ...names.map((name) => `MODIFIED default/${name} Running`),
    ...names.map((name) => `DELETED default/${name} Running`),
  ]);
  expect(openFiles() - before).toBeLessThan(OPEN_MAX);
});
