import { PodrunError } from '../api/errors.ts';
import type { StoredPod } from '../api/objects.ts';
import type { FileStore } from '../store/file-store.ts';

/**
 * Refuses Pods whose owner may live and does not answer: a change would have no effect, and a new run of the name might
 * be the second one.
 * @throws {PodrunError} that names the first such owner and its place
 */
export function refuseSilentOwners(store: FileStore, pods: readonly StoredPod[]): void {
  for (const { metadata } of pods) {
    const { namespace, name } = metadata;
    const owner = store.ownerOf(namespace, name);
    if (owner === undefined || store.stateOf(owner) !== 'silent') continue;
    throw new PodrunError(`error: pod "${name}" belongs to ${store.describeOwner(owner)}, which does not answer`, {
      hint:
        `Let it continue. If it is gone for good, remove its record: ` +
        `podrun delete pod ${name} -n ${namespace} --force. ` +
        'That ends nothing that still runs there.',
    });
  }
}
