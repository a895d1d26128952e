import { describe, expect, it } from 'vitest';
import type { StoredPod } from '../../src/api/base/objects.ts';
import { recordAuthor } from '../../src/apiserver/deletion/record-author.ts';
import { ManualClock } from '../../src/simulation/manual-clock.ts';
import type { MemoryStore } from '../../src/simulation/memory-store.ts';
import { newPod } from '../store/objects.ts';
import { DeafStore, runOf } from './pod-run-rig.ts';

describe('a Pod whose object is gone, without a last state', () => {
  const author = { user: 'me', tool: 'podrun delete pods --all --force', pid: 4711, commandOf: undefined };

  /** The end of a Pod whose object goes before its next status is written. */
  async function goneBeforeStatus(remove: (store: MemoryStore, clock: ManualClock, pod: StoredPod) => void) {
    const clock = new ManualClock();
    const store = new DeafStore(clock);
    const pod = store.create('pods', newPod('web'));
    const { run, losses } = runOf(pod, store, clock);
    run.begin();
    remove(store, clock, pod);
    run.saveStatus(run.pod.status);
    await clock.run(5000);
    return { state: run.state, losses: losses.count };
  }

  it('is lost when its record was removed by hand', async () => {
    const gone = await goneBeforeStatus((store) => store.delete('pods', 'default', 'web'));
    expect(gone).toEqual({ state: 'over', losses: 1 });
  });

  it('is not lost when another process has recorded that it deletes it', async () => {
    const gone = await goneBeforeStatus((store, clock, pod) => {
      recordAuthor(store, clock, pod, author);
      store.delete('pods', 'default', 'web');
    });
    expect(gone).toEqual({ state: 'over', losses: 0 });
  });

  it('is lost when an earlier Pod of its name was deleted', async () => {
    const gone = await goneBeforeStatus((store, clock, pod) => {
      recordAuthor(store, clock, { ...pod, metadata: { ...pod.metadata, uid: 'earlier' } }, author);
      store.delete('pods', 'default', 'web');
    });
    expect(gone).toEqual({ state: 'over', losses: 1 });
  });
});
