import { existsSync, readdirSync } from 'node:fs';
import { homeFolder, isStandIn } from '../user.ts';
import { quietly } from '../quietly.ts';
import { agentsFolder, resourceFolder, stateRoot } from '../store/index.ts';
import type { Cli } from './base/cli.ts';
import { AGENT_COMMAND, KEEPER_COMMAND } from '../engine/index.ts';

/** Commands that read and write no state. */
const WITHOUT_STATE: ReadonlySet<string> = new Set(['version', 'explain', 'doctor', 'validate', 'init', 'envtest']);

/** Commands that need no background agent. `serve` takes over its own. */
const WITHOUT_AGENTS: ReadonlySet<string> = new Set([...WITHOUT_STATE, 'serve', AGENT_COMMAND, KEEPER_COMMAND]);

/**
 * Commands that show or change recorded Pods. Other commands do not read the record, or repair lost Pods themselves.
 */
const ABOUT_RECORDS: ReadonlySet<string> = new Set([
  ...'get describe logs probes advise events history diff expect top wait'.split(' '),
  ...'exec attach debug patch label annotate condition'.split(' '),
]);

/** Commands that show Events, also of deleted objects, and that begin runs, whose Pods have Events. */
const EVENT_READERS: ReadonlySet<string> = new Set(['get', 'describe', 'events', 'apply', 'delete']);

/**
 * Repairs the state folder after podrun was killed: starts background agents again, records the end of all other Pods,
 * binds or removes the claims that were left, and takes addresses from Ingresses. Removes Jobs whose time to live has
 * passed, Events that have expired, and deleted namespaces that are empty now. Every command looks into seven folders
 * for this. The code is loaded only when one of them holds something.
 */
export async function beforeCommand(cli: Cli, command: string): Promise<void> {
  const home = homeFolder();
  const root = stateRoot({ flag: cli.flags.stateDir, env: cli.env, home, pathOf: cli.pathOf });
  if (root.startsWith(home) && isStandIn(home) && !WITHOUT_STATE.has(command) && !existsSync(root)) {
    cli.stderr.write(`this user has no home folder to write to: podrun keeps its files in ${home}\n`);
  }
  if (!WITHOUT_AGENTS.has(command) && !isEmpty(agentsFolder(root))) {
    const { resumeAgents } = await import('./repair.ts');
    await resumeAgents(cli);
  }
  if (ABOUT_RECORDS.has(command) && existsSync(resourceFolder(root, 'pods'))) {
    const { reportLostPods } = await import('./repair.ts');
    await reportLostPods(cli);
  }
  if (!WITHOUT_AGENTS.has(command) && existsSync(resourceFolder(root, 'namespaces'))) {
    const { removeNamespaces } = await import('./repair.ts');
    removeNamespaces(cli);
  }
  const isAboutAll = ABOUT_RECORDS.has(command) || command === 'gc';
  if (isAboutAll && existsSync(resourceFolder(root, 'persistentvolumeclaims'))) {
    const { settleClaims } = await import('./repair.ts');
    await settleClaims(cli);
  }
  if (ABOUT_RECORDS.has(command) && existsSync(resourceFolder(root, 'ingresses'))) {
    const { takeAddresses } = await import('./repair.ts');
    await takeAddresses(cli);
  }
  if (isAboutAll && existsSync(resourceFolder(root, 'jobs'))) {
    const { removeExpired } = await import('./repair.ts');
    await removeExpired(cli);
  }
  if (EVENT_READERS.has(command) && existsSync(resourceFolder(root, 'events'))) {
    const { removeOldEvents } = await import('./repair.ts');
    await removeOldEvents(cli);
  }
}

/** True for a folder that does not exist. A folder that podrun cannot read counts as not empty. */
function isEmpty(folder: string): boolean {
  return quietly(() => readdirSync(folder).length === 0) ?? !existsSync(folder);
}
