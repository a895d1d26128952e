import { readdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { quietly, readQuietly, succeeds } from '../../../quietly.ts';
import { type Clock, sleep } from '../../../clock.ts';
import type { GroupLimits, ResourceLimits } from '../../base/confinement.ts';
import { errnoOf, errnoText, mkdirIfMissing } from '../../base/errno.ts';
import { sendSignal } from '../../watch/kill.ts';
import { type CgroupMachine, enableBelow } from './cgroup-machine.ts';
import { KILL_AS_GROUP, type Setting, settingsFor } from './control-files.ts';
import { pidsInGroup, takeIn } from './group-members.ts';
import type { Controller } from './hierarchy.ts';

/** The folders of one group: one in version 2, one for each controller in version 1. */
interface GroupFolder {
  readonly version: 1 | 2;
  /** The groups from outside to inside: `podrun`, the Pod's, the container's, and the group of its processes. */
  readonly parent: string;
  readonly together: string;
  readonly folder: string;
  readonly inner: string;
  readonly controllers: ReadonlySet<Controller>;
}

export type GroupOutcome =
  | { readonly ok: true; readonly group: CgroupGroup }
  /** The reason in one clause. */
  | { readonly ok: false; readonly error: string };

/** The CPU weight of all Pods together: the number of CPUs. Source: pkg/kubelet/cm/node_container_manager_linux.go. */
const WHOLE_MACHINE: GroupLimits = {
  memoryBytes: undefined,
  cpuMillis: undefined,
  cpuRequestMillis: availableParallelism() * 1000,
  pids: undefined,
};

/**
 * The name of the group of the processes, which has the same limits as its parent, the container's group. It is the
 * root of all cgroups that a container can see, also of cgroups that it mounts itself: limits that it lifts there still
 * hold in the parent.
 */
const INNER = 'inside';

/** The time limit for a group to become empty after its processes were killed. A busy machine may end them late. */
const EMPTY_WITHIN_MS = 10_000;
const PAUSE_MS = 5;
/** The most attempts to make a group: another podrun may remove its parents meanwhile. */
const ATTEMPTS_MAX = 20;

/** The cgroup of one container: its processes are limited, counted and killed together. */
export class CgroupGroup {
  readonly #folders: readonly GroupFolder[];
  readonly #clock: Clock;

  private constructor(folders: readonly GroupFolder[], clock: Clock) {
    this.#folders = folders;
    this.#clock = clock;
  }

  /**
   * Makes the group of a container, within the group of its Pod.
   * @param id the id of the container, see `groupNames`
   */
  static make(machine: CgroupMachine, id: string, limits: ResourceLimits, clock: Clock): GroupOutcome {
    const group = new CgroupGroup(foldersOf(machine, id), clock);
    try {
      for (const folder of group.#folders) makeFolder(folder, limits);
      return { ok: true, group };
    } catch (error) {
      group.#tryToRemove();
      const where = error instanceof Error && 'path' in error ? ` (${String(error.path)})` : '';
      return { ok: false, error: `${errnoText(errnoOf(error))}${where}` };
    }
  }

  /** The folders of the group, for other parts that read or remove them. */
  get folders(): readonly string[] {
    return this.#folders.map(({ folder }) => folder);
  }

  /** The folders of the group of its processes. */
  get inner(): readonly string[] {
    return this.#folders.map(({ inner }) => inner);
  }

  /** Changes the limits of a group in use. Returns an error in one clause. */
  change(limits: ResourceLimits): string | undefined {
    try {
      for (const folder of this.#folders) applySettings(folder, limits);
      return undefined;
    } catch (error) {
      return errnoText(errnoOf(error));
    }
  }

  /** Moves a running process into the group, see `takeIn`. */
  place(pid: number): Promise<string | undefined> {
    return takeIn(this.inner, pid, this.#clock);
  }

  /** True when the kernel has killed a process of this group for lack of memory. */
  wasOutOfMemory(): boolean {
    return this.#folders.some(({ version, folder, controllers }) => {
      if (!controllers.has('memory')) return false;
      // Version 1 counts in the group of the killed process.
      return withInner(folder).some((group) => {
        const text = readQuietly(path.join(group, version === 1 ? 'memory.oom_control' : 'memory.events'));
        return Number(/^oom_kill (\d+)$/m.exec(text)?.[1] ?? 0) > 0;
      });
    });
  }

  /** Kills all processes of the group, as far as possible at once. New ones cannot be added. */
  kill(): void {
    killGroupFolders(this.folders.flatMap(withInner));
  }

  /**
   * Kills the remaining processes and removes the group. Resolves when it is gone or cannot be removed. Never rejects.
   */
  async end(): Promise<void> {
    await removeGroups(this.folders, this.#clock);
  }

  #tryToRemove(): void {
    for (const { inner, folder, together, parent } of this.#folders) tryToRemove([inner, folder, together, parent]);
  }
}

/**
 * Ends the processes of groups, and removes the groups with their empty parents.
 * @param folders the groups of containers
 */
export async function removeGroups(folders: readonly string[], clock: Clock): Promise<void> {
  const deadlineMs = clock.now().monotonicMs + EMPTY_WITHIN_MS;
  for (;;) {
    const all = folders.flatMap(withInner);
    killGroupFolders(all);
    const left = all.filter((folder) => !tryToRemove([folder]));
    if (left.length === 0 || clock.now().monotonicMs >= deadlineMs) break;
    await sleep(clock, PAUSE_MS);
  }
  for (const folder of folders) tryToRemove([path.dirname(folder), path.dirname(path.dirname(folder))]);
}

/** A group after its descendants: the group of the processes, and groups that runc or a program makes in it. */
export function withInner(folder: string): string[] {
  const entries = quietly(() => readdirSync(folder, { withFileTypes: true })) ?? [];
  const inner = entries.filter((entry) => entry.isDirectory()).map(({ name }) => path.join(folder, name));
  return [...inner.flatMap(withInner), folder];
}

/** Forbids new processes, then kills the existing ones. */
function killGroupFolders(folders: readonly string[]): void {
  for (const folder of folders) tryToWrite(path.join(folder, 'pids.max'), '0');
  for (const folder of folders) {
    if (tryToWrite(path.join(folder, 'cgroup.kill'), '1')) continue;
    for (const pid of pidsInGroup(folder)) sendSignal(pid, 'SIGKILL');
  }
}

/**
 * The names of a container's group and of its parent: the id `UID/NAME/ATTEMPT` gives `UID` and `NAME_ATTEMPT`, so that
 * the owner of a group can be recognised.
 */
export function groupNames(id: string): { readonly together: string; readonly own: string } {
  const [first = '', ...rest] = id.split('/').map((part) => encodeURIComponent(part).replace(/^\./, '%2E'));
  return { together: first, own: rest.length === 0 ? first : rest.join('_') };
}

function foldersOf({ locations }: CgroupMachine, id: string): GroupFolder[] {
  const { together, own } = groupNames(id);
  const byParent = new Map<string, { version: 1 | 2; controllers: Set<Controller> }>();
  for (const [controller, { version, parent }] of locations) {
    const known = byParent.get(parent);
    if (known === undefined) byParent.set(parent, { version, controllers: new Set([controller]) });
    else known.controllers.add(controller);
  }
  return [...byParent].map(([parent, hierarchy]) => ({
    ...hierarchy,
    parent,
    together: path.join(parent, together),
    folder: path.join(parent, together, own),
    inner: path.join(parent, together, own, INNER),
  }));
}

function makeFolder(folder: GroupFolder, limits: ResourceLimits): void {
  const { version, parent, together, inner, controllers } = folder;
  // Another podrun may remove the empty parents of this group.
  for (let attempt = 0; ; attempt++) {
    try {
      for (const groupFolder of [parent, together, folder.folder, inner]) {
        mkdirIfMissing(groupFolder, 0o755);
        if (version === 2 && groupFolder !== inner) enableBelow(groupFolder, controllers);
      }
      const all = settingsFor(version, WHOLE_MACHINE).map((setting) => ({ ...setting, folder: parent }));
      apply(controllers, all);
      break;
    } catch (error) {
      if (errnoOf(error) !== 'ENOENT' || attempt === ATTEMPTS_MAX) throw error;
    }
  }
  applySettings(folder, limits);
}

function applySettings({ version, together, folder, inner, controllers }: GroupFolder, limits: ResourceLimits): void {
  const own = [...settingsFor(version, limits), ...(version === 2 ? [KILL_AS_GROUP] : [])];
  apply(controllers, [
    ...settingsFor(version, limits.together).map((setting) => ({ ...setting, folder: together })),
    ...[folder, inner].flatMap((group) => own.map((setting) => ({ ...setting, folder: group }))),
  ]);
}

interface PlacedSetting extends Setting {
  readonly folder: string;
}

/**
 * Writes settings in rounds. Version 1 refuses a limit above the parent's limit, and a memory limit above the limit of
 * memory and swap. Raising and lowering need opposite orders: a setting that is refused is tried again after all other
 * settings, as long as that helps.
 */
function apply(controllers: ReadonlySet<Controller>, settings: readonly PlacedSetting[]): void {
  const write = ({ folder, file, text }: PlacedSetting): void => writeFileSync(path.join(folder, file), text);
  let refused = settings.filter(({ controller }) => controllers.has(controller));
  for (let before = Number.POSITIVE_INFINITY; refused.length > 0 && refused.length < before;) {
    before = refused.length;
    refused = refused.filter((setting) => !succeeds(() => write(setting)));
  }
  for (const setting of refused) {
    if (setting.isOptional === true) succeeds(() => write(setting));
    else write(setting);
  }
}

/** Removes groups from the innermost outwards, until one is in use. Returns false when the innermost is. */
function tryToRemove([innermost = '', ...parents]: readonly string[]): boolean {
  try {
    rmdirSync(innermost);
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') return false;
  }
  if (parents.length > 0) tryToRemove(parents);
  return true;
}

function tryToWrite(file: string, text: string): boolean {
  // The kernel makes the file, or it does not exist.
  return succeeds(() => writeFileSync(file, text, { flag: 'r+' }));
}
