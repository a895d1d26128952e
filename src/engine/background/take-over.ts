import { rmSync } from 'node:fs';
import { endProcesses, removeLayers } from '../../apiserver/index.ts';
import { isTerminalPhase, type StoredPod } from '../../api/index.ts';
import type { Clock } from '../../clock.ts';
import { type FoundInstance, isRemnant } from '../../lifecycle/index.ts';
import type { FileStore } from '../../store/index.ts';
import { killProcess, type ProcessIdentity, startTimeOf } from '../../runtime/index.ts';
import { endNetwork } from './keeper/housekeeping.ts';
import type { KeptRuntime } from './keeper/kept-runtime.ts';
import type { KeptContainer } from './keeper/protocol.ts';

/** A Pod that this agent took over from its former process. */
export interface Resumed {
  readonly pod: StoredPod;
  readonly release: () => void;
  /** The process that holds the private network of the Pod. Undefined: none does. */
  readonly networkHolder: ProcessIdentity | undefined;
}

/** Claims the Pods that the former process of this agent ran. */
export function takeOver(id: string, store: FileStore): Resumed[] {
  return store.list<StoredPod>('pods').flatMap(({ metadata: { namespace, name, uid } }) => {
    const owner = store.owners.of(namespace, name);
    if (owner?.agent !== id) return [];
    const claim = store.owners.claim('pods', { namespace, name }, owner.command, id);
    // Reads the stored Pod: other readers see a Pod without a live owner as Unknown.
    const pod = claim.ok ? store.get<StoredPod>('pods', namespace, name) : undefined;
    if (!claim.ok || pod?.metadata.uid !== uid) return [];
    const release = (): void => {
      // The socket of the former process may be left.
      rmSync(store.paths(namespace, name).attachSocket, { force: true });
      claim.release();
    };
    if (!isTerminalPhase(pod.status.phase)) return [{ pod, release, networkHolder: holderOf(store, pod) }];
    if (isRemnant(pod)) store.delete('pods', namespace, name);
    release();
    return [];
  });
}

function holderOf(store: FileStore, { metadata }: StoredPod): ProcessIdentity | undefined {
  const recorded = store.podProcesses.networkOf(metadata);
  if (recorded === undefined || recorded.files !== undefined) return undefined;
  const startTime = startTimeOf(recorded.holderPid);
  return startTime === undefined ? undefined : { pid: recorded.holderPid, startTime };
}

/** Ends the remaining processes of a Pod whose keeper is gone, and removes its file system layers. */
export async function endContainers(store: FileStore, pod: StoredPod, clock: Clock): Promise<void> {
  await endProcesses(store, pod, { clock, isNetworkKept: true });
  await removeLayers(store, pod);
}

/**
 * Ends the containers, and their private networks, of all Pods but the Pods that were taken over: the rest was removed
 * by force when no agent could look, or has ended.
 */
export function endStrays(
  runtime: Pick<KeptRuntime, 'kill'>,
  kept: readonly KeptContainer[],
  resumed: readonly Resumed[],
): void {
  const uids = new Set(resumed.map(({ pod }) => pod.metadata.uid));
  for (const container of kept) {
    const [uid = ''] = container.id.split('/');
    if (uids.has(uid)) continue;
    endNetwork(container);
    runtime.kill(container);
  }
}

/**
 * Ends the private network of a Pod that was taken over and is over or deleted. Nothing else does when that happens
 * before the agent has found the network in the record.
 */
export function endNetworkOf({ metadata: { uid } }: StoredPod, resumed: readonly Resumed[]): void {
  const holder = resumed.find(({ pod }) => pod.metadata.uid === uid)?.networkHolder;
  if (holder !== undefined) killProcess(holder);
}

/** The containers of a Pod that still run, or have ended, under the keeper. */
export function foundOf({ metadata: { uid } }: StoredPod, kept: readonly KeptContainer[]): FoundInstance[] {
  return kept.flatMap(({ id, running: { startedAt } }) => {
    const [podUid, container = '', attempt] = id.split('/');
    return podUid === uid ? [{ id, container, attempt: Number(attempt), startedAt }] : [];
  });
}
