import { expect, it } from 'vitest';
import type { StoredPod } from '../../../src/api/objects.ts';
import { SystemClock } from '../../../src/clock.ts';
import { podOver } from '../../../src/cli/select/pod-watch.ts';
import { appendTransition, transitionLine } from '../../../src/store/feed/transition-log.ts';
import { newPod } from '../../store/objects.ts';
import { openStore, temporaryFolder } from '../../store/temporary-store.ts';

it('takes a Pod as deleted once the transition log has its deletion, although its folder exists', async () => {
  const store = openStore(temporaryFolder());
  const pod = store.create<StoredPod>('pods', newPod('web', { phase: 'Running' }));
  const over = podOver({ store, clock: new SystemClock(), pod });
  const deleted = {
    ...pod,
    metadata: { ...pod.metadata, resourceVersion: `${Number(pod.metadata.resourceVersion) + 1}` },
  };
  appendTransition(store.paths('default', 'web').transitions, transitionLine('DELETED', deleted, Date.now()));
  expect(await over).toBe(true);
  expect(store.get('pods', 'default', 'web')).toBeDefined();
});
