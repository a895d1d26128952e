import type { Obstacle } from '../../api/machine.ts';
import type { Clock } from '../../clock.ts';
import type { NamespaceDetection, NamespaceFacts, NamespaceGaps } from '../features.ts';
import { readCache, writeCache } from './cache.ts';
import { busyboxAmong, findTools, searchFolders } from './programs.ts';
import { type Privileges, readPrivileges } from './privileges.ts';
import type { TrialRequest, TrialStep, TrialSteps } from './trial.ts';
import { inTrialFolder, makeTrialFolder } from './trial-folder.ts';

export interface NamespaceQuestion {
  /** The state folder: layers of containers will be below it, and the answer is kept in it. */
  readonly stateDir: string;
  readonly clock: Clock;
  /** The version of podrun: what one has found out is not asked of by another. */
  readonly version: string;
  /** The user's PATH, searched after the folders of the system. */
  readonly userPath: string | undefined;
  /** Do not believe what is kept, but find out, and keep that. */
  readonly afresh?: boolean;
  /** For tests: nothing but these folders is searched. */
  readonly folders?: readonly string[];
}

/**
 * Can containers be kept apart by namespaces here? Found out by making some, which takes about 20 ms, and kept in the
 * state folder for as long as the machine, its programs and what podrun may do stay the same; that answer takes 0.3 ms.
 * Nothing is left of the attempt.
 */
export async function detectNamespaces(question: NamespaceQuestion): Promise<NamespaceDetection> {
  const { stateDir, clock, version } = question;
  const startedMs = clock.now().monotonicMs;
  const cost = (): number => Math.round((clock.now().monotonicMs - startedMs) * 10) / 10;
  if (process.platform !== 'linux') {
    return { ok: false, why: { type: 'platform', platform: process.platform }, costMs: cost() };
  }
  const folders = question.folders ?? searchFolders(question.userPath);
  const [found, privileges] = [findTools(folders), readPrivileges()];
  if (!found.ok) return { ok: false, why: found.why, costMs: cost() };
  const key = [version, found.marks, privileges.mark].join(' ');
  const known = question.afresh === true ? undefined : readCache(stateDir, key);
  if (known !== undefined) return known;
  const busybox = busyboxAmong(found.tools);
  if (busybox.length > 0) return { ok: false, why: { type: 'busybox', programs: busybox }, costMs: cost() };
  const attempt = { tools: found.tools, searchPath: folders.join(':'), stateDir, clock, privileges };
  let tried = await tryMode(privileges.isPrivileged ? 'root' : 'user', attempt);
  if (privileges.isPrivileged && hasNoLayers(tried)) {
    // Root of a user namespace that somebody else has made: what it may not mount, one of its own may.
    const asUser = await tryMode('user', attempt);
    if (asUser.ok && !hasNoLayers(asUser)) tried = asUser;
  }
  const detection = { ...tried, costMs: cost() };
  // A slow moment says nothing about the next one, nor does a full disk.
  if (tried.ok || !['timeout', 'folder'].includes(tried.why.type)) writeCache(stateDir, key, detection);
  return detection;
}

interface Attempt extends Pick<TrialRequest, 'tools' | 'searchPath' | 'clock'> {
  readonly stateDir: string;
  readonly privileges: Privileges;
}

type Tried = WithoutCost<NamespaceDetection>;
type WithoutCost<T> = T extends unknown ? Omit<T, 'costMs'> : never;

async function tryMode(mode: NamespaceFacts['mode'], { stateDir, privileges, ...attempt }: Attempt): Promise<Tried> {
  const folder = makeTrialFolder(stateDir);
  if (!folder.ok) return { ok: false, why: folder.why };
  const request = { ...attempt, mode, userId: privileges.userId };
  const { runTrial, TRIAL_TIMEOUT_MS } = await import('./trial.ts');
  const { steps, timedOut } = await inTrialFolder(folder, (path) => runTrial({ ...request, folder: path }));
  if (timedOut) {
    const reached = [...steps.keys()].at(-1) ?? 'unshare';
    return { ok: false, why: { type: 'timeout', doing: DOING[reached], afterMs: TRIAL_TIMEOUT_MS } };
  }
  const why = obstacleTo(['unshare', 'tmpfs', 'newRoot', 'enter'], steps, privileges);
  if (why !== undefined) return { ok: false, why };
  const gaps = gapsOf(steps, privileges);
  const layers = gaps.diskLayers === undefined ? 'disk' : gaps.tmpfsLayers === undefined ? 'tmpfs' : undefined;
  return { ok: true, gaps, facts: { tools: attempt.tools, mode, hasOwnProc: gaps.ownProc === undefined, layers } };
}

/** Namespaces can be made, but containers get a root that they cannot write to. */
function hasNoLayers(tried: Tried): boolean {
  return tried.ok && tried.facts.layers === undefined;
}

/** What each step does, as messages name it. */
const DOING: Readonly<Record<TrialStep, string>> = {
  unshare: 'make namespaces',
  tmpfs: 'mount a tmpfs',
  proc: 'mount /proc',
  diskLayers: 'mount an overlay with its upper layer in the state folder',
  tmpfsLayers: 'mount an overlay with its upper layer in a tmpfs',
  newRoot: 'change the root',
  enter: 'enter namespaces',
};

function gapsOf(steps: TrialSteps, privileges: Privileges): NamespaceGaps {
  const [ownProc, diskLayers, tmpfsLayers] = (['proc', 'diskLayers', 'tmpfsLayers'] as const).map((step) =>
    obstacleTo([step], steps, privileges),
  );
  return {
    ...(ownProc && { ownProc }),
    ...(diskLayers && { diskLayers }),
    ...(diskLayers && tmpfsLayers && { tmpfsLayers }),
  };
}

/** Why the first of these steps that failed did so; undefined when all of them were done. */
function obstacleTo(needed: readonly TrialStep[], steps: TrialSteps, privileges: Privileges): Obstacle | undefined {
  const failed = needed.find((step) => steps.get(step)?.ok !== true);
  if (failed === undefined) return undefined;
  return explainRefusal(failed, steps.get(failed)?.said ?? '', privileges);
}

/** Finds the reason behind the words of a program of util-linux. */
export function explainRefusal(
  step: TrialStep,
  text: string,
  { userId, isPrivileged, hasSeccompFilter, obstructive }: Omit<Privileges, 'mark'>,
): Obstacle {
  const line = text.split('\n').find((one) => one.trim() !== '') ?? 'it ended without a word';
  // What mount says of EINVAL names everything that it can mean.
  const said = line.replace(/^(mount: ).*wrong fs type, bad option.*/, '$1invalid argument');
  const [, program] = /^(?:\S*\/)?([\w.-]+): (?:unrecognized|invalid|unknown) option/.exec(said) ?? [];
  if (program !== undefined) return { type: 'outdated', program, said };
  const [setting] = isPrivileged ? [] : obstructive;
  // Of those that ordinary users need, unshare is the first to be refused; the others follow from a half-granted one.
  if (setting !== undefined && step !== 'diskLayers' && step !== 'tmpfsLayers') {
    return { type: 'setting', ...setting, said };
  }
  const confinedBy = [
    ...(userId === 0 && !isPrivileged ? (['capabilities'] as const) : []),
    ...(hasSeccompFilter ? (['seccomp'] as const) : []),
  ];
  return { type: 'refused', doing: DOING[step], said, confinedBy };
}
