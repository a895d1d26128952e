import type { Clock } from '../clock.ts';
import { killGroup } from './kill.ts';
import { isAlive, type ProcessIdentity } from './process-identity.ts';
import { Sweeper } from './sweeper.ts';
import { removeGroups } from './cgroup/cgroup-group.ts';

/** A container that was running when its agent was last heard of. */
export interface RemainingContainer {
  readonly id: string;
  /** Its main process, as recorded at the start; undefined when the agent died before it could tell. */
  readonly main: ProcessIdentity | undefined;
  /** Folders of its cgroups, which may be gone. */
  readonly cgroups?: readonly string[] | undefined;
}

/**
 * Ends what an agent left behind that was killed: the main processes with their groups, and everything that bears the
 * mark of one of the containers. A pid that has gone to another process since is recognised by its start time and left
 * alone. The records must be of this boot of the machine (see `bootId`): of an earlier one nothing is left.
 */
export async function endRemains(containers: readonly RemainingContainer[], clock: Clock): Promise<void> {
  const sweeper = new Sweeper(clock);
  await Promise.all(
    containers.map(async ({ id, main, cgroups = [] }) => {
      const leader = main !== undefined && isAlive(main) ? main : undefined;
      if (leader !== undefined) killGroup(leader.pid);
      await sweeper.sweep({ id, leader });
      if (cgroups.length > 0) await removeGroups(cgroups, clock);
    }),
  );
}
