import { hasCode, type StoredJob } from '../../api/index.ts';
import type { Clock } from '../../clock.ts';
import { jobExpiryMs } from '../../controllers/index.ts';
import type { FileStore } from '../../store/index.ts';
import { collectDependents } from './collect-dependents.ts';
import { deleteRecord } from './delete-record.ts';

/**
 * Removes Jobs whose `ttlSecondsAfterFinished` has passed, with their Pods. Leaves alone Jobs that an agent has: its
 * controllers remove them. Returns the removed Jobs.
 * @throws {PodrunError} when the store cannot be written to
 */
export async function removeExpiredJobs(store: FileStore, clock: Clock): Promise<StoredJob[]> {
  const { wallMs } = clock.now();
  const expired = store.list<StoredJob>('jobs', {}).filter((job) => {
    const { namespace, name } = job.metadata;
    return (jobExpiryMs(job) ?? Infinity) <= wallMs && !store.owners.isOwned(namespace, name, 'jobs');
  });
  for (const job of expired) {
    try {
      deleteRecord(store, clock, job, 'Foreground');
    } catch (error) {
      // Another command has removed it.
      if (!hasCode(error, 'NotFound') && !hasCode(error, 'Conflict')) throw error;
    }
  }
  for (const namespace of new Set(expired.map(({ metadata }) => metadata.namespace))) {
    await collectDependents(store, clock, namespace);
  }
  return expired;
}
