import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { localProcesses } from '../../src/runtime/watch/process-identity.ts';
import { compactHistory } from '../../src/apiserver/state/compact-history.ts';
import { ServedObjects } from '../../src/apiserver/state/served-objects.ts';
import { ManualClock } from '../../src/simulation/manual-clock.ts';
import { FileStore } from '../../src/store/file-store.ts';

const MINUTE = 60_000;

it('a list of an old version ends after five to ten minutes, and the latest never', async () => {
  const root = mkdtempSync(path.join(tmpdir(), 'podrun-compaction-'));
  const clock = new ManualClock();
  const store = new FileStore({ root, clock, processes: localProcesses });
  const objects = new ServedObjects(store);
  objects.keep('configmaps', { isNamespaced: true });
  const compaction = compactHistory(objects, clock);
  const create = (name: string): unknown =>
    store.create('configmaps', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default' } });
  const listed = (version: number): string[] | undefined =>
    objects.listAt('configmaps', undefined, version)?.map(({ read }) => read().metadata.name);
  try {
    create('a');
    const before = objects.version;
    create('b');
    await clock.run(5 * MINUTE);
    expect(listed(before)).toEqual(['a']);
    await clock.run(5 * MINUTE);
    expect(listed(before)).toBeUndefined();
    expect(listed(objects.version)).toEqual(['a', 'b']);
  } finally {
    compaction.close();
    objects.close();
    rmSync(root, { recursive: true, force: true });
  }
});

it('most changes are forgotten after a minute: what is gone does not stay in memory', async () => {
  const root = mkdtempSync(path.join(tmpdir(), 'podrun-compaction-'));
  const clock = new ManualClock();
  const store = new FileStore({ root, clock, processes: localProcesses });
  const objects = new ServedObjects(store);
  objects.keep('configmaps', { isNamespaced: true });
  const compaction = compactHistory(objects, clock);
  try {
    const before = objects.version;
    for (let index = 0; index < 200; index++) {
      const metadata = { name: `map-${index}`, namespace: 'default' };
      store.create('configmaps', { apiVersion: 'v1', kind: 'ConfigMap', metadata });
      store.delete('configmaps', 'default', metadata.name);
    }
    const after = objects.version;
    await clock.run(20_000);
    expect(objects.changesAfter('configmaps', before)).toHaveLength(400);
    await clock.run(40_000);
    expect(objects.changesAfter('configmaps', before)).toBeUndefined();
    expect(objects.changesAfter('configmaps', after)).toEqual([]);
  } finally {
    compaction.close();
    objects.close();
    rmSync(root, { recursive: true, force: true });
  }
});
