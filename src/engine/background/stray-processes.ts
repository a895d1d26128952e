import { readlinkSync, statSync } from 'node:fs';
import type { StoredPod } from '../../api/index.ts';
import { type Clock, sleep } from '../../clock.ts';
import { filesIn, quietly, readQuietly, statIfThere } from '../../quietly.ts';
import {
  factsOf,
  isProcessAlive,
  killProcess,
  localProcesses,
  type ProcessFacts,
  type ProcessIdentity,
  startTimeOf,
} from '../../runtime/index.ts';
import { markedNetworkOf } from '../../network/index.ts';
import { BackgroundAgents, type FileStore, NETWORK_PARTS } from '../../store/index.ts';
import { AGENT_COMMAND, KEEPER_COMMAND } from './call-background.ts';

/** A process that outlives its podrun: an agent, a keeper, or one that holds or serves a network. */
interface LastingProcess extends ProcessFacts {
  /** The state folder, as the process sees it. */
  readonly folder: string;
  /** The id of the agent. Undefined for a process of a network. */
  readonly agent: string | undefined;
}

/** The time that a process which has just lost its record has to end by itself. */
const ENDS_WITHIN_MS = 3000;
/**
 * The age at which an agent or a keeper must have noticed the loss of its state folder, and have ended its Pods: a
 * minute, in the ticks of /proc/PID/stat. Source: linux include/uapi/asm-generic/param.h USER_HZ.
 */
const NOTICES_WITHIN_TICKS = 60 * 100;
const LOOK_EVERY_MS = 100;

/**
 * Ends background agents, keepers and processes of networks that no podrun would find any more: no record of this state
 * folder names them, or their own state folder is gone. Only processes of this user and this PID namespace count, and
 * none that a living podrun is setting up. A young agent or keeper without its folder ends by itself, and its network
 * with it. Linux only.
 * @returns their number
 */
export async function endStrayProcesses(
  store: FileStore,
  clock: Clock,
  { isDryRun }: { readonly isDryRun: boolean },
): Promise<number> {
  const untilMs = clock.now().monotonicMs + ENDS_WITHIN_MS;
  let strays = straysOf(store);
  while (strays.length > 0 && clock.now().monotonicMs < untilMs) {
    await sleep(clock, LOOK_EVERY_MS);
    strays = strays.filter(isProcessAlive);
  }
  if (!isDryRun) for (const stray of strays) killProcess(stray);
  return strays.length;
}

function straysOf(store: FileStore): LastingProcess[] {
  const all = filesIn('/proc').flatMap((name) => lastingProcess(Number(name)) ?? []);
  if (all.length === 0) return [];
  // The children of a process that holds or serves a network have its mark, and end with it.
  const processes = all.filter(
    ({ agent, parentPid }) => agent !== undefined || markedNetworkOf(parentPid) === undefined,
  );
  // Read after the processes: each is on record before it outlives its podrun.
  const agents = new BackgroundAgents(store.root, localProcesses);
  const ids = new Set(agents.list());
  const networks = new Set(
    store.list<StoredPod>('pods').flatMap(({ metadata }) => store.podProcesses.networkOf(metadata)?.holderPid ?? []),
  );
  for (const id of [...ids, NO_AGENT]) {
    for (const part of NETWORK_PARTS) networks.add(agents.networkRecord(id).living(part) ?? 0);
  }
  const ownFolder = quietly(() => folderAt(store.root));
  const isTended = ({ folder }: LastingProcess): boolean =>
    processes.some((other) => other.agent !== undefined && other.folder === folder && isYoung(other));
  return processes.filter((each) => {
    const { pid, folder, agent } = each;
    const seenFolder = quietly(() => folderAt(`/proc/${pid}/root${folder}`));
    // The folder of a process that has just ended, or that this user may not look into, counts as there.
    if (seenFolder === undefined) return false;
    if (seenFolder === GONE) return !isTended(each);
    return seenFolder === ownFolder && (agent === undefined ? !networks.has(pid) : !ids.has(agent));
  });
}

/** Compares with the start of this process: a command has just begun. */
function isYoung({ startTime }: ProcessIdentity): boolean {
  return Number(startTimeOf(process.pid)) - Number(startTime) < NOTICES_WITHIN_TICKS;
}

/** The cluster is on record also where no agent is. */
const NO_AGENT = 'none';
const GONE = 'gone';

/** The identity of a folder, or GONE. Throws where podrun cannot tell. */
function folderAt(place: string): string {
  const stats = statIfThere(place);
  if (stats !== undefined) return `${stats.dev}:${stats.ino}`;
  // A process that has ended has no folder either.
  readlinkSync(place.startsWith('/proc/') ? place.split('/').slice(0, 4).join('/') : '/');
  return GONE;
}

/** The process with a pid, if it is one that outlives its podrun, of this user and in this PID namespace. */
function lastingProcess(pid: number): LastingProcess | undefined {
  if (Number.isNaN(pid) || pid === process.pid) return undefined;
  const words = readQuietly(`/proc/${pid}/cmdline`).split('\0');
  const at = words.findIndex((word, index) => words[index - 2] === '--state-dir' && COMMANDS.has(word));
  const network = at < 0 ? markedNetworkOf(pid) : undefined;
  const facts = at < 0 && network === undefined ? undefined : factsOf(pid);
  if (facts === undefined || facts.isZombie || facts.parentPid === network?.maker) return undefined;
  const isOwn = quietly(() => statSync(`/proc/${pid}`).uid === process.getuid?.()) === true;
  const isHere = quietly(() => readlinkSync(`/proc/${pid}/ns/pid`) === readlinkSync('/proc/self/ns/pid')) === true;
  const folder = network?.folder ?? words[at - 1] ?? '';
  if (!isOwn || !isHere || !folder.startsWith('/')) return undefined;
  return { ...facts, folder, agent: network === undefined ? words[at + 1] : undefined };
}

const COMMANDS: ReadonlySet<string> = new Set([AGENT_COMMAND, KEEPER_COMMAND]);
