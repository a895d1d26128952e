import { statSync } from 'node:fs';
import { userInfo } from 'node:os';
import path from 'node:path';
import { PodrunError } from '../api/errors.ts';

/** Where everything about one Pod lies. */
export interface PodPaths {
  readonly folder: string;
  /** Metadata and spec: what clients write. */
  readonly object: string;
  /** The status: what the owning agent writes. */
  readonly status: string;
  /** Every change of the Pod and of its Events, one watch event per line, in order. */
  readonly transitions: string;
  /** What came of every probe, see probe-journal.ts. */
  readonly probes: string;
  /** What came of every hook, likewise. */
  readonly hooks: string;
  /** What containers have taken in all, likewise. */
  readonly usage: string;
  readonly owner: string;
  /** Room for the end of the Pod, see reserve.ts; and another name of it. */
  readonly reserve: string;
  readonly reserveLink: string;
  /** Processes that the agent started, one per line. */
  readonly processes: string;
  /** `logs/CONTAINER/RESTARTS.log`, see container-log.ts. */
  readonly logs: string;
  readonly volumes: string;
  /** What containers see in the place of the host's /etc/hosts and the like. */
  readonly etc: string;
  /** `layers/CONTAINER/ATTEMPT`: what each run writes to its copy of the host's root, while it lives. */
  readonly layers: string;
  /** Where others attach to the Pod's containers, while there is something to attach to. */
  readonly attachSocket: string;
}

/** What decides where the state is, see {@link stateRoot}. */
export interface StateRootSources {
  /** The value of `--state-dir`. */
  readonly flag?: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The user's home folder. */
  readonly home: string;
}

// The longest name a file can have on the file systems of Linux and macOS, and two bytes more than Kubernetes allows.
const NAME_BYTES_MAX = 255;

/** Nothing has to be looked at more closely. */
const USUAL_NAME = /^[a-z0-9][a-z0-9.-]{0,200}$/;

/**
 * The folder that holds all state: `--state-dir`, else PODRUN_STATE_DIR, else `podrun` in XDG_STATE_HOME (which counts
 * only when absolute), else `~/.local/state/podrun`.
 * @see https://specifications.freedesktop.org/basedir-spec/latest/
 */
export function stateRoot({ flag, env, home }: StateRootSources): string {
  const chosen = flag || env['PODRUN_STATE_DIR'];
  if (chosen) return path.resolve(chosen);
  const xdg = env['XDG_STATE_HOME'];
  const usual = xdg && path.isAbsolute(xdg) ? path.join(xdg, 'podrun') : path.join(home, '.local', 'state', 'podrun');
  // `sudo -E` keeps the HOME of the user, who must not find files of root there: root has a store of its own.
  return isOfAnotherUser(usual) ? path.join(userInfo().homedir, '.local', 'state', 'podrun') : usual;
}

/** True when root runs this, and the folder, or the nearest one above that exists, belongs to somebody else. */
function isOfAnotherUser(folder: string): boolean {
  if (process.geteuid?.() !== 0) return false;
  const stats = statSync(folder, { throwIfNoEntry: false });
  if (stats !== undefined) return stats.uid !== 0;
  return path.dirname(folder) !== folder && isOfAnotherUser(path.dirname(folder));
}

/**
 * Where folders may be in memory: the user's own place for what lives as long as the session, and the one that
 * everybody has on Linux. Nowhere on other systems.
 * @param uid undefined: the system has none
 */
export function memoryPlaces(env: StateRootSources['env'], uid: number | undefined): string[] {
  const xdg = env['XDG_RUNTIME_DIR'];
  const own = xdg && path.isAbsolute(xdg) ? [path.resolve(xdg)] : [];
  return [...new Set([...own, ...(uid === undefined ? [] : [`/run/user/${uid}`]), '/dev/shm'])];
}

/** Where the objects of a resource are: a folder per namespace. */
export function resourceFolder(root: string, resource: string): string {
  return path.join(root, part(resource));
}

/** Where the objects of a resource in one namespace are: an entry per name. */
export function namespaceFolder(root: string, resource: string, namespace: string): string {
  return path.join(root, part(resource), part(namespace));
}

/** Where one object is: a folder for a Pod, a file of JSON for every other kind. */
export function objectPath(root: string, resource: string, namespace: string, name: string): string {
  return `${root}/${part(resource)}/${part(namespace)}/${part(name)}`;
}

export function podPaths(root: string, namespace: string, name: string): PodPaths {
  return pathsInPodFolder(objectPath(root, 'pods', namespace, name));
}

export function pathsInPodFolder(folder: string): PodPaths {
  // Lists of many Pods ask for all of them: `path.join` would be a third of what such a list costs.
  return {
    folder,
    object: `${folder}/pod.json`,
    status: `${folder}/status.json`,
    transitions: `${folder}/transitions.ndjson`,
    probes: `${folder}/probes.ndjson`,
    hooks: `${folder}/hooks.ndjson`,
    usage: `${folder}/usage.ndjson`,
    owner: `${folder}/owner.json`,
    reserve: `${folder}/reserve`,
    reserveLink: `${folder}/reserve.link`,
    processes: `${folder}/processes.ndjson`,
    logs: `${folder}/logs`,
    volumes: `${folder}/volumes`,
    etc: `${folder}/etc`,
    layers: `${folder}/layers`,
    attachSocket: `${folder}/attach.sock`,
  };
}

/** Where the replaced runs of a Pod are, a folder each, named so that they sort by age. */
export function historyFolder(root: string, namespace: string, name: string): string {
  return path.join(root, 'history', part(namespace), part(name));
}

/** Where FIFOs lie ready for the output of containers. */
export function fifoFolder(root: string): string {
  return path.join(root, '.fifos');
}

export function locksFolder(root: string): string {
  return path.join(root, '.locks');
}

export function lockPath(root: string, resource: string, namespace: string, name: string): string {
  return path.join(locksFolder(root), part(resource), part(namespace), part(name));
}

/** What locks of a process are hard links to, see file-lock.ts. */
export function lockSeatPath(root: string, name: string): string {
  return path.join(locksFolder(root), '.seats', name);
}

/** The right to remove the lock of a process that is gone, see file-lock.ts. */
export function brokenLockPath(root: string, holder: string): string {
  return path.join(locksFolder(root), '.broken', encodeURIComponent(holder));
}

/** What was applied to an object the last time. */
export function lastAppliedPath(root: string, resource: string, namespace: string, name: string): string {
  return path.join(root, '.last-applied', part(resource), part(namespace), part(name));
}

/** Where everything about one background agent lies. */
export interface AgentPaths {
  readonly folder: string;
  /** What its Pods are run with, for an agent that takes over. */
  readonly settings: string;
  /** What it is to begin with; gone when it has. */
  readonly beginning: string;
  /** The process that is the agent at the moment, or was it last. */
  readonly process: string;
  /** Where the keeper of its containers listens. */
  readonly keeperSocket: string;
  /** How containers have ended, a line each. */
  readonly exits: string;
}

/** @param id of the agent, see background-agents.ts */
export function agentPaths(root: string, id: string): AgentPaths {
  const folder = path.join(agentsFolder(root), part(id));
  return {
    folder,
    settings: path.join(folder, 'settings.json'),
    beginning: path.join(folder, 'beginning.json'),
    process: path.join(folder, 'process.json'),
    keeperSocket: path.join(folder, 'keeper.sock'),
    exits: path.join(folder, 'exits.ndjson'),
  };
}

/** The leases of agents, see leases.ts. */
export function leasesFolder(root: string): string {
  return path.join(root, '.leases');
}

/** A folder for each background agent. */
export function agentsFolder(root: string): string {
  return path.join(root, '.agents');
}

/** What background agents have to say, all of them. */
export function agentLogPath(root: string): string {
  return path.join(root, 'agent.log');
}

/** Folders that are being made or taken away: what is not complete is never in its place. */
export function stagingFolder(root: string): string {
  return path.join(root, '.staging');
}

/**
 * A name as one part of a path. Names of Kubernetes objects are safe, but not everything that asks for one is checked.
 * Own files and folders start with a dot, which no name does.
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
  throw new PodrunError(`invalid resource name ${JSON.stringify(name)}: [${reason}]`);
}
