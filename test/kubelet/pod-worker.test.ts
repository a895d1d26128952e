import { expect, it } from 'vitest';
import { PodWorker } from '../../src/kubelet/pod-worker.ts';
import type { PodStatus } from '../../src/api/generated/types.ts';
import { CRASH_LOOP } from '../../src/lifecycle/plan/back-off.ts';
import type { Observation } from '../../src/lifecycle/observation.ts';
import { podWith } from '../lifecycle/base-objects.ts';
import { ManualClock } from '../../src/simulation/manual-clock.ts';

const NAMES = ['a', 'b', 'c'];

/** A Pod of three containers, whose sandbox is ready and whose containers are starting. */
function startingPod(): { tell: (seen: Observation) => void; ids: Map<string, string>; published: string[] } {
  const clock = new ManualClock();
  const pod = podWith({ restartPolicy: 'Never', containers: NAMES.map((name) => ({ name, image: 'busybox' })) });
  const images = Object.fromEntries(NAMES.map((name) => [name, { type: 'present' } as const]));
  const ids = new Map<string, string>();
  const published: string[] = [];
  let tell: (seen: Observation) => void = () => undefined;
  const worker = new PodWorker({
    pod,
    clock,
    config: () => ({ crashLoop: CRASH_LOOP, images: { containers: images, volumes: {} } }),
    hostIP: '10.0.0.1',
    report: {
      saveStatus: (status) => {
        published.push(inShort(status));
        return { ...pod, status };
      },
      saved: () => undefined,
      events: () => undefined,
      finished: () => undefined,
      broken: () => undefined,
    },
    effects: (report) => {
      tell = (seen) => report.observed(seen);
      return {
        resume: () => undefined,
        perform: (_pod, effect) => {
          if (effect.type === 'start') ids.set(effect.container, effect.id);
        },
        follow: () => undefined,
        probes: [],
        close: () => undefined,
        abandon: () => Promise.resolve(),
      };
    },
  });
  worker.start();
  tell({ type: 'sandboxReady', podIP: '127.1.2.3' });
  published.splice(0);
  return { tell, ids, published };

  function inShort({ containerStatuses = [] }: PodStatus): string {
    return containerStatuses.map(({ name, state }) => `${name}:${Object.keys(state ?? {})[0]}`).join(' ');
  }
}

const at = new ManualClock().now();

const exited = (container: string, id: string): Observation => {
  return { type: 'exited', container, id, exitCode: 0, oomKilled: false, message: undefined, at };
};

/** Starts the containers one after the other. */
async function runningPod(): Promise<ReturnType<typeof startingPod>> {
  const rig = startingPod();
  for (const container of NAMES) {
    rig.tell({ type: 'started', container, id: rig.ids.get(container) ?? '', at });
    await Promise.resolve();
  }
  expect(rig.published.splice(0).at(-1)).toBe('a:running b:running c:running');
  return rig;
}

it('publishes once what several containers do in the same moment', async () => {
  const { tell, ids, published } = await runningPod();
  for (const [container, id] of [...ids].slice(0, 2)) tell(exited(container, id));
  await Promise.resolve();
  expect(published).toEqual(['a:terminated b:terminated c:running']);
});

it('leaves out no state of a container, however short that was', async () => {
  const { tell, ids, published } = startingPod();
  const id = ids.get('a') ?? '';
  tell({ type: 'started', container: 'a', id, at });
  tell(exited('a', id));
  await Promise.resolve();
  expect(published).toEqual(['a:running b:waiting c:waiting', 'a:terminated b:waiting c:waiting']);
});

it('takes what cannot wait after what was heard before it', async () => {
  const { tell, ids, published } = await runningPod();
  tell(exited('a', ids.get('a') ?? ''));
  tell({ type: 'terminate', cause: 'ended', graceSeconds: 30, force: false });
  expect(published[0]).toBe('a:terminated b:running c:running');
});
