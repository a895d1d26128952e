import { accessSync, constants, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { makeFolderExactly } from '../../../exact-mode.ts';
import { quietly, readQuietly, succeeds } from '../../../quietly.ts';
import { errnoOf, errnoText } from '../../base/errno.ts';
import { factsOf } from '../../watch/process-identity.ts';
import { type Controller, hierarchiesOf, type Hierarchy } from './hierarchy.ts';

/** The place for groups with a controller. */
export interface GroupLocation {
  readonly version: 1 | 2;
  /** The folder for the groups of all podruns in this place. */
  readonly parent: string;
}

/** The usable cgroups of this machine. */
export interface CgroupMachine {
  readonly locations: ReadonlyMap<Controller, GroupLocation>;
  /** The reason for each missing controller, in one clause. `cpuacct` is never listed. */
  readonly missing: ReadonlyMap<Controller, string>;
}

/** The kernel's texts about the cgroups of this process. Tests use their own. */
export interface CgroupSources {
  readonly membership: string;
  readonly mounts: string;
  readonly isRoot: boolean;
}

/** The name of the parent of all groups of containers. */
export const PARENT = 'podrun';
/** The name of the group for podrun itself: in version 2, a group with limited children may not have processes. */
const OWN_GROUP = 'podrun-agent';

const LIMITING: readonly Controller[] = ['memory', 'cpu', 'pids'];

let known: CgroupMachine | undefined;

/** The usable cgroups of this machine, found out once by trying: takes 1 ms. Never throws. */
export function cgroupMachine(): CgroupMachine {
  return (known ??= findOut());
}

function findOut(): CgroupMachine {
  const unavailable = (why: string): CgroupMachine => ({
    locations: new Map(),
    missing: new Map(LIMITING.map((controller) => [controller, why])),
  });
  if (process.platform !== 'linux') return unavailable('only Linux has cgroups');
  try {
    const membership = readFileSync('/proc/self/cgroup', 'utf8');
    const mounts = readFileSync('/proc/self/mountinfo', 'utf8');
    return exploreCgroups({ membership, mounts, isRoot: process.getuid?.() === 0 });
  } catch (error) {
    return unavailable(`/proc cannot be read: ${errnoText(errnoOf(error))}`);
  }
}

/** Tries to make groups in every possible place. Removes groups that are not useful. */
export function exploreCgroups({ membership, mounts, isRoot }: CgroupSources): CgroupMachine {
  const locations = new Map<Controller, GroupLocation>();
  const reasons = new Map<Controller, string>();
  // Where both versions are mounted, version 1 has the controllers, and its errors are the relevant ones.
  const hierarchies = hierarchiesOf(membership, mounts).sort((a, b) => a.version - b.version);
  for (const hierarchy of hierarchies) {
    const trial = hierarchy.version === 1 ? tryVersion1(hierarchy) : tryVersion2(hierarchy, isRoot);
    for (const controller of trial.controllers) {
      if (!locations.has(controller)) locations.set(controller, { version: hierarchy.version, parent: trial.parent });
    }
    for (const [controller, why] of trial.missing) if (!reasons.has(controller)) reasons.set(controller, why);
  }
  const missing = LIMITING.filter((controller) => !locations.has(controller));
  return {
    locations,
    missing: new Map(missing.map((controller) => [controller, reasons.get(controller) ?? 'no cgroups are mounted'])),
  };
}

interface Trial {
  readonly parent: string;
  readonly controllers: readonly Controller[];
  readonly missing: ReadonlyMap<Controller, string>;
}

/** Tries below podrun's own group, so that limits of that group also hold for containers. */
function tryVersion1({ own, controllers }: Hierarchy): Trial {
  const parent = path.join(own, PARENT);
  const wanted = ([...LIMITING, 'cpuacct'] as const).filter((name) => controllers.includes(name));
  const why = wanted.length === 0 ? 'podrun needs none of its controllers' : whyNotMade(parent);
  if (why === undefined) {
    tryToRemove(parent);
    return { parent, controllers: wanted, missing: new Map() };
  }
  return { parent, controllers: [], missing: new Map(wanted.map((name) => [name, why])) };
}

/**
 * Tries at the top for root, as container engines do, because no process is in the way there. Other users may make
 * groups only below a group that was delegated to them and that has no other processes.
 */
function tryVersion2({ root, own }: Hierarchy, isRoot: boolean): Trial {
  const ownFolder = path.basename(own) === OWN_GROUP ? path.dirname(own) : own;
  const bases = isRoot && root !== ownFolder ? [root, ownFolder] : [ownFolder];
  const trials = bases.map((base) => () => tryBelow(base, base !== root));
  let first: Trial | undefined;
  for (const trial of trials) {
    const outcome = trial();
    if (outcome.controllers.length === LIMITING.length) return outcome;
    if (first === undefined || outcome.controllers.length > first.controllers.length) first = outcome;
  }
  return first ?? { parent: path.join(ownFolder, PARENT), controllers: [], missing: new Map() };
}

function tryBelow(base: string, mayMove: boolean): Trial {
  const parent = path.join(base, PARENT);
  const none = (why: string): Trial => ({
    parent,
    controllers: [],
    missing: new Map(LIMITING.map((controller) => [controller, why])),
  });
  const available = namesIn(path.join(base, 'cgroup.controllers'));
  // In a hybrid set-up, version 2 is mounted without the controllers.
  if (!LIMITING.some((controller) => available.includes(controller))) {
    return none(`${base} has no controllers`);
  }
  const why = whyNotMade(parent);
  if (why !== undefined) return none(why);
  const missing = new Map<Controller, string>();
  for (const controller of LIMITING) {
    const problem = available.includes(controller)
      ? (whyNotEnabled(base, controller, mayMove) ?? whyNotEnabled(parent, controller, false))
      : `${base} has no such feature`;
    if (problem !== undefined) missing.set(controller, problem);
  }
  tryToRemove(parent);
  const controllers = LIMITING.filter((controller) => !missing.has(controller));
  return { parent, controllers, missing };
}

/** Enables a controller for the children of a group. Returns the reason when that fails. */
function whyNotEnabled(group: string, controller: Controller, mayMove: boolean): string | undefined {
  const file = path.join(group, 'cgroup.subtree_control');
  if (namesIn(file).includes(controller)) return undefined;
  const problem = whyNotWritten(file, `+${controller}`);
  if (problem !== 'EBUSY') return problem === undefined ? undefined : `${file}: ${errnoText(problem)}`;
  if (!mayMove || !moveAside(group)) return `${group} has processes of its own`;
  const refusal = whyNotWritten(file, `+${controller}`);
  return refusal === undefined ? undefined : `${file}: ${errnoText(refusal)}`;
}

/** Moves podrun and its children into a group below their own. Returns false when the group has other processes. */
function moveAside(group: string): boolean {
  const inside = readQuietly(path.join(group, 'cgroup.procs')).split('\n').filter(Boolean);
  if (!inside.every((pid) => isOurs(Number(pid)))) return false;
  const aside = path.join(group, OWN_GROUP);
  if (whyNotMade(aside) !== undefined) return false;
  return inside.every((pid) => whyNotWritten(path.join(aside, 'cgroup.procs'), pid) === undefined);
}

/** True for this process and its descendants. */
function isOurs(pid: number): boolean {
  if (pid === process.pid) return true;
  const parent = factsOf(pid)?.parentPid ?? 0;
  return parent > 1 && isOurs(parent);
}

/** Enables controllers in a parent group of version 2, which limits in its children need. */
export function enableBelow(group: string, controllers: Iterable<Controller>): void {
  for (const controller of controllers) {
    if (controller !== 'cpuacct') whyNotEnabled(group, controller, false);
  }
}

function whyNotMade(folder: string): string | undefined {
  try {
    makeFolderExactly(folder, 0o755);
    return undefined;
  } catch (error) {
    const errno = errnoOf(error);
    // The folder may belong to a podrun of another user.
    const isOurs = errno === 'EEXIST' && succeeds(() => accessSync(folder, constants.W_OK));
    if (errno === 'EEXIST') return isOurs ? undefined : `${folder} belongs to another user`;
    return `no group can be made in ${path.dirname(folder)}: ${errnoText(errno)}`;
  }
}

function whyNotWritten(file: string, text: string): string | undefined {
  try {
    writeFileSync(file, text);
    return undefined;
  } catch (error) {
    return errnoOf(error);
  }
}

/** Removes a group, unless it is in use or belongs to another user. */
export function tryToRemove(folder: string): void {
  quietly(() => rmdirSync(folder));
}

function namesIn(file: string): string[] {
  return readQuietly(file).split(/\s+/);
}
