import { expect, it } from 'vitest';
import type { StoredPod } from '../../src/api/base/objects.ts';
import { ForeignPods } from '../../src/engine/run/foreign-pods.ts';
import { newPod, withPhase } from '../store/objects.ts';
import { openStore, temporaryFolder } from '../store/temporary-store.ts';

it('Pods of other processes that end between being found and being watched have ended', () => {
  const root = temporaryFolder();
  const [store, other] = [openStore(root), openStore(root)];
  const [ended, gone, goesOn] = [newPod('ended'), newPod('gone'), newPod('goes-on')].map((pod) =>
    other.create('pods', pod),
  ) as [StoredPod, StoredPod, StoredPod];
  other.updateStatus('pods', withPhase(ended, 'Succeeded'));
  other.delete('pods', 'default', 'gone');
  const phases = (pods: readonly StoredPod[]): unknown[] => {
    const live = new ForeignPods(store, pods, () => undefined);
    live.close();
    return [live.isOver, ...live.pods.map(({ status }) => status.phase)];
  };
  expect(phases([ended, gone])).toEqual([true, 'Succeeded', 'Pending']);
  expect(phases([ended, goesOn])).toEqual([false, 'Succeeded', 'Pending']);
});
