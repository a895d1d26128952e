import path from 'node:path';
import { PodrunError } from '../../api/index.ts';
import { statQuietly } from '../../quietly.ts';
import { accountHome } from '../../user.ts';

/** The files of one Pod. */
export interface PodPaths {
  readonly folder: string;
  /** Every change of the Pod and of its Events, one watch event per line, in order. The last one has the Pod. */
  readonly transitions: string;
  /** The attempts of all probes, see probe-journal.ts. */
  readonly probes: string;
  /** The runs of all hooks, see probe-journal.ts. */
  readonly hooks: string;
  /** The total CPU time and peak memory of containers, see probe-journal.ts. */
  readonly usage: string;
  readonly owner: string;
  /** A file that keeps disk space for the end of the Pod, and a link to it: see reserve.ts. */
  readonly reserve: string;
  readonly reserveLink: string;
  /** An empty file, there as long as all that became of the Pod could be written down: to remove it takes no room. */
  readonly complete: string;
  /** Processes that the agent started, one per line. */
  readonly processes: string;
  /** `logs/CONTAINER/RESTARTS.log`, see container-log.ts. */
  readonly logs: string;
  readonly volumes: string;
  /** The files that containers see instead of the host's /etc/hosts and the like. */
  readonly etc: string;
  /** `layers/CONTAINER/ATTEMPT`: the files that a run has written over the host's root. It goes with the run. */
  readonly layers: string;
  /** The socket at which clients attach to the Pod's containers. It exists while there is something to attach to. */
  readonly attachSocket: string;
}

/** The sources of the path of the state folder, see {@link stateRoot}. */
export interface StateRootSources {
  /** The value of `--state-dir`. */
  readonly flag?: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The user's home folder. */
  readonly home: string;
  /** The place of a named folder. Default: relative names begin in the current folder of the process. */
  readonly pathOf?: (folder: string) => string;
}

// The longest file name on Linux and macOS, two bytes longer than a name in Kubernetes.
const NAME_BYTES_MAX = 255;

/** Names that need no further check. */
const USUAL_NAME = /^[a-z0-9][a-z0-9.-]{0,200}$/;

/**
 * The state folder: `--state-dir`, else PODRUN_STATE_DIR, else `podrun` in XDG_STATE_HOME (which counts only when
 * absolute), else `~/.local/state/podrun`.
 * @see https://specifications.freedesktop.org/basedir-spec/latest/
 */
export function stateRoot({ flag, env, home, pathOf = (folder) => folder }: StateRootSources): string {
  const chosen = flag || env['PODRUN_STATE_DIR'];
  if (chosen) return path.resolve(pathOf(chosen));
  const xdg = env['XDG_STATE_HOME'];
  const usual = xdg && path.isAbsolute(xdg) ? path.join(xdg, 'podrun') : path.join(home, '.local', 'state', 'podrun');
  // `sudo -E` keeps the HOME of the user, who must not find files of root there: root gets a store of its own.
  return isOfAnotherUser(usual) ? path.join(accountHome(), '.local', 'state', 'podrun') : usual;
}

/** True when root asks, and the folder, or the nearest existing one above it, belongs to another user. */
function isOfAnotherUser(folder: string): boolean {
  if (process.geteuid?.() !== 0) return false;
  const stats = statQuietly(folder);
  if (stats !== undefined) return stats.uid !== 0;
  return path.dirname(folder) !== folder && isOfAnotherUser(path.dirname(folder));
}

/**
 * The mount points for folders in memory: the user's runtime folder, which lives as long as the session, and /dev/shm
 * of Linux. Other systems have neither.
 * @param uid undefined on a system without uids
 */
export function memoryMountPoints(env: StateRootSources['env'], uid: number | undefined): string[] {
  const xdg = env['XDG_RUNTIME_DIR'];
  const own = xdg && path.isAbsolute(xdg) ? [path.resolve(xdg)] : [];
  return [...new Set([...own, ...(uid === undefined ? [] : [`/run/user/${uid}`]), '/dev/shm'])];
}

/** The folder of a resource. It has a folder for each namespace. */
export function resourceFolder(root: string, resource: string): string {
  return path.join(root, part(resource));
}

/** The folder of a resource in one namespace. It has an entry for each name. */
export function namespaceFolder(root: string, resource: string, namespace: string): string {
  return path.join(root, part(resource), part(namespace));
}

/** The path of one object: a folder for a Pod, a file of JSON for any other kind. */
export function objectPath(root: string, resource: string, namespace: string, name: string): string {
  return `${root}/${part(resource)}/${part(namespace)}/${part(name)}`;
}

export function podPaths(root: string, namespace: string, name: string): PodPaths {
  return pathsInPodFolder(objectPath(root, 'pods', namespace, name));
}

export function pathsInPodFolder(folder: string): PodPaths {
  // A list of many Pods computes all of these paths: `path.join` would take a third of its time.
  return {
    folder,
    transitions: `${folder}/transitions.ndjson`,
    probes: `${folder}/probes.ndjson`,
    hooks: `${folder}/hooks.ndjson`,
    usage: `${folder}/usage.ndjson`,
    owner: `${folder}/owner.json`,
    reserve: `${folder}/reserve`,
    reserveLink: `${folder}/reserve.link`,
    complete: `${folder}/complete`,
    processes: `${folder}/processes.ndjson`,
    logs: `${folder}/logs`,
    volumes: `${folder}/volumes`,
    etc: `${folder}/etc`,
    layers: `${folder}/layers`,
    attachSocket: `${folder}/attach.sock`,
  };
}

/** The folder of the replaced runs of a Pod. Each run has a folder; the names sort by age. */
export function historyFolder(root: string, namespace: string, name: string): string {
  return path.join(root, 'history', part(namespace), part(name));
}

/** The folder of FIFOs that are ready for the output of containers. */
export function fifoFolder(root: string): string {
  return path.join(root, '.fifos');
}

export function locksFolder(root: string): string {
  return path.join(root, '.locks');
}

export function lockPath(root: string, resource: string, namespace: string, name: string): string {
  return path.join(locksFolder(root), part(resource), part(namespace), part(name));
}

/** The link that names a process, of which its locks are further names, see file-lock.ts. */
export function ownLinkPath(root: string, holder: string): string {
  return path.join(locksFolder(root), '.own', encodeURIComponent(holder));
}

/** The right to remove the lock of a process that is gone, see file-lock.ts. */
export function brokenLockPath(root: string, holder: string): string {
  return path.join(locksFolder(root), '.broken', encodeURIComponent(holder));
}

/** The file with the last manifest applied to an object. */
export function lastAppliedPath(root: string, resource: string, namespace: string, name: string): string {
  return path.join(root, '.last-applied', part(resource), part(namespace), part(name));
}

/** The file with the process that owns an object. */
export function ownerPath(root: string, resource: string, namespace: string, name: string): string {
  if (resource === 'pods') return podPaths(root, namespace, name).owner;
  return path.join(root, '.owners', part(resource), part(namespace), part(name));
}

/** The files of one background agent. */
export interface AgentPaths {
  readonly folder: string;
  /** The settings of its Pods, for an agent that takes over. */
  readonly settings: string;
  /** The Pods that the agent shall begin with. The file is removed once the agent has begun. */
  readonly beginning: string;
  /** The current or last process of the agent. */
  readonly process: string;
  /** The socket of the keeper of its containers. */
  readonly keeperSocket: string;
  /** The exits of containers, one per line. */
  readonly exits: string;
  /** The record of its network helper in the cluster of its Pods. */
  readonly helper: string;
  /** The record of its process, with its open files of the cluster. */
  readonly cluster: string;
}

/** @param id ID of the agent, see background-agents.ts */
export function agentPaths(root: string, id: string): AgentPaths {
  const folder = path.join(agentsFolder(root), part(id));
  return {
    folder,
    settings: path.join(folder, 'settings.json'),
    beginning: path.join(folder, 'beginning.json'),
    process: path.join(folder, 'process.json'),
    keeperSocket: path.join(folder, 'keeper.sock'),
    exits: path.join(folder, 'exits.ndjson'),
    helper: path.join(folder, 'helper.json'),
    cluster: path.join(folder, 'cluster.json'),
  };
}

/** The files about the cluster that all background agents share. */
export interface SharedClusterPaths {
  readonly folder: string;
  /** The process that holds the network. */
  readonly holder: string;
  /** The process that connects it with the world. */
  readonly wayOut: string;
}

export function sharedClusterPaths(root: string): SharedClusterPaths {
  const folder = path.join(root, '.cluster');
  return { folder, holder: path.join(folder, 'holder.json'), wayOut: path.join(folder, 'way-out.json') };
}

/** The folder of the leases of agents, see leases.ts. */
export function leasesFolder(root: string): string {
  return path.join(root, '.leases');
}

/** The folder with a folder for each background agent. */
export function agentsFolder(root: string): string {
  return path.join(root, '.agents');
}

/** The common log of all background agents. */
export function agentLogPath(root: string): string {
  return path.join(root, 'agent.log');
}

/** The folder for folders that are being made or removed: only complete folders are in their places. */
export function stagingFolder(root: string): string {
  return path.join(root, '.staging');
}

/**
 * Checks a name that becomes one part of a path. Names of Kubernetes objects are safe, but not every name in a request
 * has been checked. Files and folders of podrun start with a dot, which no name does.
 * @throws {PodrunError} in the words of client-go, for a name that would lead elsewhere
 */
function part(name: string): string {
  if (USUAL_NAME.test(name)) return name;
  const why =
    name === '' || name.startsWith('.')
      ? `may not be '${name}'`
      : (['/', '%', '\0'].find((character) => name.includes(character)) ?? undefined);
  if (why === undefined && Buffer.byteLength(name) <= NAME_BYTES_MAX) return name;
  const reason =
    why === undefined ? 'may not be longer than 253 bytes' : why.length === 1 ? `may not contain '${why}'` : why;
  throw new PodrunError('BadRequest', `invalid resource name ${JSON.stringify(name)}: [${reason}]`);
}

/** The folder of `podrun serve` in the state folder. */
export function serverFolder(root: string): string {
  return path.join(root, '.server');
}

/** The certificates and the token of `podrun serve`. */
export function credentialsFile(root: string): string {
  return path.join(serverFolder(root), 'credentials.json');
}
