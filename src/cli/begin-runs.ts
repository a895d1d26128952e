import { endLeftovers } from '../agent/leftovers.ts';
import { closeLostRun } from '../agent/lost-runs.ts';
import { PodrunError } from '../api/errors.ts';
import type { StoredPod } from '../api/objects.ts';
import type { Clock } from '../clock.ts';
import type { FileStore } from '../store/file-store.ts';

/** A Pod that this process owns from now on. */
export interface Begun {
  readonly pod: StoredPod;
  readonly release: () => void;
}

/**
 * Makes the Pods this process's own, all or none. What a killed podrun left of them is ended first.
 * @throws {PodrunError} when one of them runs under another process
 */
export async function beginRuns(store: FileStore, clock: Clock, pods: readonly StoredPod[]): Promise<Begun[]> {
  for (const { metadata } of pods) {
    const owner = store.ownerOf(metadata.namespace, metadata.name);
    if (owner !== undefined && store.isOwnerAlive(owner)) throw alreadyRunning(metadata.name, owner);
  }
  const begun: Begun[] = [];
  for (const pod of pods) {
    const { namespace, name } = pod.metadata;
    const old = store.get<StoredPod>('pods', namespace, name);
    if (old !== undefined) await endOldRun(store, old, clock);
    const started = store.startRun(pod, process.argv.slice(2).join(' '));
    if (!started.ok) {
      for (const { pod: other } of begun) store.delete('pods', other.metadata.namespace, other.metadata.name);
      throw alreadyRunning(name, started.owner);
    }
    begun.push({ pod: started.pod, release: () => started.release() });
  }
  return begun;
}

/** What a killed podrun ran goes to the history as what became of it. */
async function endOldRun(store: FileStore, old: StoredPod, clock: Clock): Promise<void> {
  const owner = store.ownerOf(old.metadata.namespace, old.metadata.name);
  if (old.status.phase === 'Unknown' && owner !== undefined) {
    await closeLostRun(store, { pod: old, agentPid: owner.pid }, clock);
  } else await endLeftovers(store, old, clock);
}

function alreadyRunning(
  name: string,
  owner: { readonly pid: number; readonly command?: string | undefined },
): PodrunError {
  const command = owner.command === undefined ? '' : `: podrun ${owner.command}`;
  return new PodrunError(`error: pod "${name}" is already running under process ${owner.pid}${command}`, {
    hint: `End it there with Ctrl-C, or with: podrun delete pod ${name}`,
  });
}
