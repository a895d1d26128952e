import type { Clock } from '../clock.ts';
import { killGroup } from './watch/kill.ts';
import { isProcessAlive, type ProcessIdentity } from './watch/process-identity.ts';
import { Sweeper } from './watch/sweeper.ts';
import { removeGroups } from './linux/cgroup/cgroup-group.ts';

/** A container that ran when its agent was last alive. */
export interface RemainingContainer {
  readonly id: string;
  /**
   * The main process, as recorded at its start. Undefined: the agent was killed before it could record the process.
   */
  readonly main: ProcessIdentity | undefined;
  /** The folders of its cgroups, which may be gone. */
  readonly cgroups?: readonly string[] | undefined;
}

/**
 * Ends the processes that a killed agent has left: the main processes with their groups, and all processes with the
 * mark of one of the containers. A reused pid is recognised by its start time and left alone. The records must be of
 * this boot of the machine (see `bootId`): nothing is left of an earlier one.
 */
export async function endRemains(containers: readonly RemainingContainer[], clock: Clock): Promise<void> {
  const sweeper = new Sweeper(clock);
  await Promise.all(
    containers.map(async ({ id, main, cgroups = [] }) => {
      const leader = main !== undefined && isProcessAlive(main) ? main : undefined;
      if (leader !== undefined) killGroup(leader.pid);
      await sweeper.sweep({ id, leader });
      if (cgroups.length > 0) await removeGroups(cgroups, clock);
    }),
  );
}
