import { PodrunError } from '../api/index.ts';
import type { Cli } from './base/cli.ts';
import type { LostPod } from '../store/index.ts';
import { localProcesses } from '../runtime/index.ts';
import { removeEmptyNamespaces } from '../apiserver/index.ts';
import { openStore } from './base/environment.ts';

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
    const { closeLostRuns } = await import('../apiserver/deletion/lost-runs.ts');
    await closeLostRuns(store, cli.clock, cli.note, isMeant);
  } catch (error) {
    // The command itself reports errors of the store.
    if (!(error instanceof PodrunError)) throw error;
  }
}

/** Binds and removes claims and volumes whose podrun was killed before it did. */
export async function settleClaims(cli: Cli): Promise<void> {
  try {
    const { settleAllVolumes } = await import('../apiserver/volumes/settle-volumes.ts');
    settleAllVolumes(openStore(cli));
  } catch (error) {
    // The command itself reports errors of the store.
    if (!(error instanceof PodrunError)) throw error;
  }
}

/** Takes their addresses from Ingresses that a killed podrun has served. */
export async function takeAddresses(cli: Cli): Promise<void> {
  try {
    const { settleIngresses } = await import('../network/ingress/ingress-urls.ts');
    settleIngresses(openStore(cli));
  } catch (error) {
    // The command itself reports errors of the store.
    if (!(error instanceof PodrunError)) throw error;
  }
}

/** Removes finished Jobs whose time to live has passed while no podrun ran: readers see them no more. */
export async function removeExpired(cli: Cli): Promise<void> {
  try {
    const { removeExpiredJobs } = await import('../apiserver/deletion/expired-jobs.ts');
    await removeExpiredJobs(openStore(cli), cli.clock);
  } catch (error) {
    // The command itself reports errors of the store.
    if (!(error instanceof PodrunError)) throw error;
  }
}

/** Removes the Events about deleted objects an hour after their last change, as an API server does. */
export async function removeOldEvents(cli: Cli): Promise<void> {
  try {
    const { removeExpiredEvents } = await import('../apiserver/deletion/expired-events.ts');
    removeExpiredEvents(openStore(cli), cli.clock);
  } catch (error) {
    // The command itself reports errors of the store.
    if (!(error instanceof PodrunError)) throw error;
  }
}

/** Removes deleted namespaces whose last object has gone meanwhile. */
export function removeNamespaces(cli: Cli): void {
  try {
    removeEmptyNamespaces(openStore(cli));
  } catch (error) {
    // The command itself reports errors of the store.
    if (!(error instanceof PodrunError)) throw error;
  }
}

/** Starts background agents again that died before the end of their Pods, and prints a note for each. */
export async function resumeAgents(cli: Cli): Promise<void> {
  const { reviveAgents } = await import('../engine/background/start-agent.ts');
  try {
    const { clock, podrun, note } = cli;
    await reviveAgents({ root: openStore(cli).root, processes: localProcesses, clock, podrun, note });
  } catch (error) {
    // The command continues: it reports errors of the store itself.
    if (!(error instanceof PodrunError)) throw error;
    cli.warn(error.message);
  }
}
