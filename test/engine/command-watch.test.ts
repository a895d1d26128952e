import { expect, it } from 'vitest';
import { CommandWatch } from '../../src/engine/run/command-watch.ts';
import { podRoot } from '../../src/lifecycle/index.ts';
import { newPod } from '../simulation/new-pod.ts';

const pod = newPod({ containers: [{ name: 'main' }] });
const watched = {
  goal: [{ goal: { type: 'succeeded' } }] as const,
  rules: { allowRestarts: false },
  roots: () => [podRoot(pod)],
};

it('finds who deleted a Pod at the end of COMMAND, also when it has not heard of the deletion yet', () => {
  const authors = new Map<string, string>();
  const watch = new CommandWatch({
    ...watched,
    authors:
      () =>
      ({ metadata }) =>
        authors.get(metadata.uid),
  });
  watch.look();
  authors.set(pod.metadata.uid, 'root with podrun delete pod web');
  expect(watch.end().deleted).toMatchObject([{ object: pod, author: 'root with podrun delete pod web' }]);
});

it('finds no author for a Pod that was ending before COMMAND began', () => {
  const metadata = { ...pod.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' };
  const watch = new CommandWatch({
    ...watched,
    roots: () => [podRoot({ ...pod, metadata })],
    authors:
      () =>
      ({ metadata }) =>
        metadata.uid === pod.metadata.uid ? 'root' : undefined,
  });
  watch.look();
  expect(watch.end().deleted).toEqual([]);
});
