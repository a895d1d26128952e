import type { Obstacle } from '../../../machine/index.ts';
import type { Clock } from '../../../clock.ts';
import type { NamespaceDetection, NamespaceFacts, NamespaceGaps } from '../../base/features.ts';
import { readCache, writeCache } from './cache.ts';
import { busyboxAmong, findTools, searchFolders } from './programs.ts';
import { type Privileges, readPrivileges } from './findings.ts';
import type { TrialRequest, TrialStep, TrialSteps } from './trial.ts';
import { inTrialFolder, makeTrialFolder } from './trial-folder.ts';

export interface NamespaceQuestion {
  /** The state folder, below which layers of containers will be. It also holds the cache. */
  readonly stateDir: string;
  readonly clock: Clock;
  /** The version of podrun. A result is valid for one version. */
  readonly version: string;
  /** The user's PATH, searched after the system's folders. */
  readonly userPath: string | undefined;
  /** True: ignore the cached result, and cache a new one. */
  readonly ignoresCache?: boolean;
  /** For tests: the only folders to search. */
  readonly folders?: readonly string[];
}

/**
 * Finds out whether containers can be isolated by namespaces, by making some. That takes about 20 ms. The result is
 * cached in the state folder until the machine, its programs or podrun's rights change; reading it takes 0.3 ms. The
 * trial leaves nothing behind.
 */
export async function detectNamespaces(question: NamespaceQuestion): Promise<NamespaceDetection> {
  const { stateDir, clock, version } = question;
  const startedMs = clock.now().monotonicMs;
  const cost = (): number => Math.round((clock.now().monotonicMs - startedMs) * 10) / 10;
  if (process.platform !== 'linux') {
    return { ok: false, why: { type: 'platform', platform: process.platform }, costMs: cost() };
  }
  const folders = question.folders ?? searchFolders(question.userPath);
  const [search, privileges] = [findTools(folders), readPrivileges()];
  if (!search.ok) return { ok: false, why: search.why, costMs: cost() };
  const key = [version, search.marks, privileges.mark].join(' ');
  const known = question.ignoresCache === true ? undefined : readCache<NamespaceDetection>(stateDir, 'namespaces', key);
  if (known !== undefined) return known;
  const busybox = busyboxAmong(search.tools);
  if (busybox.length > 0) return { ok: false, why: { type: 'busybox', programs: busybox }, costMs: cost() };
  const attempt = { tools: search.tools, searchPath: folders.join(':'), stateDir, clock, privileges };
  let tried = await tryMode(privileges.isPrivileged ? 'root' : 'user', attempt);
  if (privileges.isPrivileged && hasNoLayers(tried)) {
    // Root of an outer user namespace cannot mount overlays that root of its own user namespace can.
    const asUser = await tryMode('user', attempt);
    if (asUser.ok && !hasNoLayers(asUser)) tried = asUser;
  }
  const detection = { ...tried, costMs: cost() };
  // A timeout or a full disk is temporary.
  if (tried.ok || !['timeout', 'folder'].includes(tried.why.type)) writeCache(stateDir, 'namespaces', key, detection);
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
  const gaps = gapsOf(steps, privileges);
  const layers = gaps.diskLayers === undefined ? 'disk' : gaps.tmpfsLayers === undefined ? 'tmpfs' : undefined;
  const root: TrialStep[] = mode === 'root' && layers === undefined ? ['bareRoot', 'newRoot'] : ['newRoot'];
  const why = obstacleTo(['unshare', 'tmpfs', ...root, 'enter'], steps, privileges);
  if (why !== undefined) return { ok: false, why };
  return { ok: true, gaps, facts: { tools: attempt.tools, mode, hasOwnProc: gaps.ownProc === undefined, layers } };
}

/** True when namespaces can be made, but containers get a read-only root. */
function hasNoLayers(tried: Tried): boolean {
  return tried.ok && tried.facts.layers === undefined;
}

/** The name of each step in messages. */
const DOING: Readonly<Record<TrialStep, string>> = {
  unshare: 'make namespaces',
  tmpfs: 'mount a tmpfs',
  proc: 'mount /proc',
  diskLayers: 'mount an overlay with its upper layer in the state folder',
  tmpfsLayers: 'mount an overlay with its upper layer in a tmpfs',
  bareRoot: 'bind the root file system without the mounts in it',
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

/** The obstacle of the first of these steps that failed. Undefined: all succeeded. */
function obstacleTo(needed: readonly TrialStep[], steps: TrialSteps, privileges: Privileges): Obstacle | undefined {
  const failed = needed.find((step) => steps.get(step)?.ok !== true);
  if (failed === undefined) return undefined;
  return explainRefusal(failed, steps.get(failed)?.said ?? '', privileges);
}

/** Finds the reason for an error of a util-linux program. */
export function explainRefusal(
  step: TrialStep,
  text: string,
  { userId, isPrivileged, hasSeccompFilter, obstructive }: Omit<Privileges, 'mark'>,
): Obstacle {
  const line = text.split('\n').find((candidate) => candidate.trim() !== '') ?? 'it ended without output';
  // mount lists every possible meaning of EINVAL.
  const said = line.replace(/^(mount: ).*wrong fs type, bad option.*/, '$1invalid argument');
  const [, program] = /^(?:\S*\/)?([\w.-]+): (?:unrecognized|invalid|unknown) option/.exec(said) ?? [];
  if (program !== undefined) return { type: 'outdated', program, said };
  const [setting] = isPrivileged ? [] : obstructive;
  // unshare is the first step that these settings refuse. A half-granted namespace makes the later ones fail.
  if (setting !== undefined && step !== 'diskLayers' && step !== 'tmpfsLayers') {
    return { type: 'setting', ...setting, said };
  }
  const confinedBy = [
    ...(userId === 0 && !isPrivileged ? (['capabilities'] as const) : []),
    ...(hasSeccompFilter ? (['seccomp'] as const) : []),
  ];
  return { type: 'refused', doing: DOING[step], said, confinedBy };
}
