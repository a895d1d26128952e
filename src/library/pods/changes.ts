import type { StoredPod, WatchEvent } from '../../api/index.ts';
import { type FileStore, parseTransition, transitionLines } from '../../store/index.ts';
import type { PodChange } from '../base/types.ts';

/** Pods, with what `changesOf` needs to follow their changes. */
export interface ChangeSource {
  readonly store: FileStore;
  readonly pods: () => readonly StoredPod[];
  /** Calls back for each change. */
  readonly onPod: (take: (event: WatchEvent<StoredPod>) => void) => { close(): void };
  /** Resolves when there will be no more changes. */
  readonly finished: Promise<unknown>;
}

/** Yields the recorded changes of the Pods, then each new one, until all Pods have ended. */
export async function* changesOf(followed: ChangeSource): AsyncGenerator<PodChange, undefined> {
  const queue: PodChange[] = [];
  let wake: () => void = () => undefined;
  let isFinished = false;
  const knownVersions = new Map<string, number>();
  // Subscribing and reading the record happen in the same turn of the event loop: no change falls between the two.
  const subscription = followed.onPod((event) => {
    const { uid, resourceVersion } = event.object.metadata;
    // A change by another process may be reported after it was read from the record.
    if (event.type !== 'DELETED' && Number(resourceVersion) <= (knownVersions.get(uid) ?? 0)) return;
    queue.push({ type: event.type, pod: structuredClone(event.object) });
    wake();
  });
  for (const { type, pod } of recorded(followed)) {
    knownVersions.set(pod.metadata.uid, Number(pod.metadata.resourceVersion));
    queue.push({ type, pod });
  }
  const finish = (): void => {
    isFinished = true;
    wake();
  };
  followed.finished.then(finish, finish);
  try {
    for (;;) {
      yield* queue.splice(0);
      if (queue.length > 0) continue;
      if (isFinished) return undefined;
      await new Promise<void>((resolve) => (wake = resolve));
    }
  } finally {
    subscription.close();
  }
}

/** The recorded changes of all Pods, in the order in which they were written. */
function recorded({ store, pods }: ChangeSource): PodChange[] {
  const lines = pods().flatMap(({ metadata: { namespace, name, uid } }) =>
    [...transitionLines(store.paths(namespace, name).transitions)].flatMap((line) => {
      const transition = parseTransition(line);
      const pod = transition?.object as unknown as StoredPod | undefined;
      if (transition === undefined || pod?.kind !== 'Pod' || pod.metadata.uid !== uid) return [];
      return [{ at: transition.at ?? '', change: { type: transition.type, pod } }];
    }),
  );
  return lines.toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0)).map(({ change }) => change);
}
