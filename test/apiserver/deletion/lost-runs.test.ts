import { describe, expect, it } from 'vitest';
import { closeLostRuns } from '../../../src/apiserver/deletion/lost-runs.ts';
import type { StoredEvent, StoredPod } from '../../../src/api/base/objects.ts';
import { SystemClock } from '../../../src/clock.ts';
import { FileStore } from '../../../src/store/file-store.ts';
import { newPod } from '../../store/objects.ts';
import { temporaryFolder } from '../../store/temporary-store.ts';

/** The store as a later process with the same pid sees it: all earlier owners are gone. */
function openAs(startTime: string, root: string): FileStore {
  return new FileStore({
    root,
    clock: new SystemClock(),
    processes: { startTimeOf: () => startTime, bootId: () => 'boot' },
  });
}

function begin(store: FileStore, name: string, phase = 'Running'): StoredPod {
  const pod = newPod(name, { phase });
  const placed: StoredPod = { ...pod, spec: { ...pod.spec, nodeName: 'node-1' } };
  const started = store.startRun(placed);
  if (!started.ok) throw new Error('somebody else runs it');
  return started.pod;
}

async function close(store: FileStore): Promise<string[]> {
  const told: string[] = [];
  await closeLostRuns(store, new SystemClock(), (text) => told.push(text));
  return told;
}

const phasesIn = (store: FileStore) =>
  Object.fromEntries(store.list<StoredPod>('pods').map(({ metadata, status }) => [metadata.name, status.phase]));

describe('closeLostRuns()', () => {
  it('records Pods whose agent was killed as failed, once', async () => {
    const root = temporaryFolder();
    begin(openAs('100', root), 'web');
    const store = openAs('200', root);
    expect(phasesIn(store)).toEqual({ web: 'Unknown' });
    expect(await close(store)).toEqual([expect.stringContaining(`pod/web: podrun (process ${process.pid})`)]);
    expect(phasesIn(store)).toEqual({ web: 'Failed' });
    expect(store.owners.of('default', 'web')).toBeUndefined();
    expect(store.list<StoredEvent>('events')).toMatchObject([
      {
        type: 'Warning',
        reason: 'NodeNotReady',
        message: 'Node is not ready',
        source: { component: 'node-controller' },
      },
    ]);
    expect(await close(store)).toEqual([]);
  });

  it('leaves Pods alone that an agent runs, or that have ended', async () => {
    const root = temporaryFolder();
    begin(openAs('100', root), 'ended', 'Succeeded');
    const store = openAs('200', root);
    begin(store, 'live');
    expect(await close(store)).toEqual([]);
    expect(phasesIn(store)).toEqual({ ended: 'Succeeded', live: 'Running' });
  });

  it.each(['Running', 'Succeeded'])('removes a Pod that was being deleted: %s', async (phase) => {
    const root = temporaryFolder();
    const before = openAs('100', root);
    const pod = begin(before, 'web', phase);
    pod.metadata.deletionTimestamp = '2026-11-20T20:00:00Z';
    before.update('pods', pod);
    const store = openAs('200', root);
    expect(await close(store)).toHaveLength(1);
    expect(phasesIn(store)).toEqual({});
  });

  it('keeps off a Pod of that name that another process begins meanwhile', async () => {
    const root = temporaryFolder();
    begin(openAs('100', root), 'web');
    const store = openAs('200', root);
    const closing = close(store);
    const successor = begin(openAs('200', root), 'web');
    await closing;
    const present = store.get<StoredPod>('pods', 'default', 'web');
    expect(present).toMatchObject({ metadata: { uid: successor.metadata.uid }, status: { phase: 'Running' } });
  });

  it('passes over a Pod that is deleted meanwhile', async () => {
    const root = temporaryFolder();
    const before = openAs('100', root);
    begin(before, 'first');
    begin(before, 'second');
    const store = openAs('200', root);
    const closing = close(store);
    openAs('300', root).delete('pods', 'default', 'first');
    expect(await closing).toEqual([expect.stringContaining('pod/second')]);
    expect(phasesIn(store)).toEqual({ second: 'Failed' });
  });
});
