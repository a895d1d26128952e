import { beginRuns, undoRuns } from './begin-runs.ts';
import { beginWorkloads, claimWorkload, type OwnedWorkload } from './begin-workloads.ts';
import type { ClaimedObjects, RunInput } from './run-input.ts';

/**
 * Makes this process the owner of the objects of a run. A failure removes the Pods, and gives the workloads up.
 * @throws {PodrunError} see beginRuns
 */
export async function beginObjects({
  store,
  clock,
  objects,
  owner,
  kept,
  onClaimed,
}: Pick<RunInput, 'store' | 'clock' | 'objects' | 'owner' | 'kept' | 'onClaimed'>): Promise<ClaimedObjects> {
  const { owned, foreign } = await beginRuns(store, clock, objects.pods, owner);
  const workloads: OwnedWorkload[] = [];
  try {
    const resting = kept?.resting ?? [];
    workloads.push(...resting.flatMap(({ key, command }) => claimWorkload(store, key, command, owner.agent) ?? []));
    workloads.push(...(await beginWorkloads(store, clock, objects, owner)));
    const claimed = { owned, workloads, foreign };
    onClaimed?.(claimed);
    return claimed;
  } catch (error) {
    undoRuns(store, owned);
    for (const { release } of workloads) release();
    throw error;
  }
}
