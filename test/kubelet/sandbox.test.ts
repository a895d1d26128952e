import { expect, it } from 'vitest';
import type { PodMachine } from '../../src/kubelet/pod-machine.ts';
import { Sandbox } from '../../src/kubelet/sandbox.ts';
import { ManualClock } from '../../src/simulation/manual-clock.ts';
import { podWith } from '../lifecycle/base-objects.ts';

/** A sandbox on a machine whose creations take until the test ends them. */
function newSandbox(removal?: () => Promise<void>) {
  const clock = new ManualClock();
  const seen: string[] = [];
  const creations: { resolve: (podIP: string) => void; reject: (error: Error) => void }[] = [];
  const machine = {
    createSandbox: () => new Promise<string>((resolve, reject) => creations.push({ resolve, reject })),
    removeSandbox: removal ?? (async () => void seen.push('removed')),
  } as Partial<PodMachine> as PodMachine;
  const report = {
    observed: ({ type }: { readonly type: string }) => seen.push(type),
    event: () => undefined,
    failed: (defect: unknown) => expect.fail(String(defect)),
  };
  return { clock, seen, creations, sandbox: new Sandbox({ clock, machine, report }) };
}

it('a sandbox that goes down while it is created has gone when its creation has ended', async () => {
  const { clock, seen, creations, sandbox } = newSandbox();
  const created = sandbox.create(podWith(), false);
  await clock.run();
  const stopped = sandbox.stop(podWith());
  await clock.run();
  expect(seen).toEqual(['removed']);
  creations[0]?.resolve('10.93.1.2');
  await Promise.all([created, stopped]);
  expect(seen).toEqual(['removed', 'sandboxStopped']);
});

it('a sandbox that goes down is not created again after a failure', async () => {
  const { clock, seen, creations, sandbox } = newSandbox();
  const created = sandbox.create(podWith(), false);
  await clock.run();
  const stopped = sandbox.stop(podWith());
  creations[0]?.reject(new Error('no network'));
  await Promise.all([created, stopped]);
  expect(seen).toEqual(['removed', 'sandboxStopped']);
  expect(creations).toHaveLength(1);
});

it('a sandbox whose removal fails has gone when its creation has ended, too', async () => {
  const { clock, seen, creations, sandbox } = newSandbox(() => Promise.reject(new Error('a file is in use')));
  const created = sandbox.create(podWith(), false);
  await clock.run();
  const stopped = sandbox.stop(podWith());
  await clock.run();
  expect(seen).toEqual([]);
  creations[0]?.resolve('10.93.1.2');
  await created;
  await expect(stopped).rejects.toThrow('a file is in use');
  expect(seen).toEqual(['sandboxStopped']);
});
