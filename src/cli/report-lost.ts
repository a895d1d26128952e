import { PodrunError } from '../api/errors.ts';
import type { Cli } from './cli.ts';
import type { LostPod } from '../store/records/pod-records.ts';
import { openStore } from './environment.ts';

/**
 * Records the end of Pods whose podrun was killed, and prints a line for each. If the store cannot be written, the
 * command shows these Pods as Unknown.
 */
export async function reportLostPods(cli: Cli): Promise<void> {
  try {
    const store = openStore(cli);
    // A new background agent takes over the Pods of a former agent.
    const isMeant = ({ agent }: LostPod): boolean => agent === undefined;
    if (!store.lostPods().some(isMeant)) return;
    const { closeLostRuns } = await import('../agent/clean-up/lost-runs.ts');
    await closeLostRuns(store, cli.clock, cli.note, isMeant);
  } catch (error) {
    // The command itself reports errors of the store.
    if (!(error instanceof PodrunError)) throw error;
  }
}
