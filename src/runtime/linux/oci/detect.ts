import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { release } from 'node:os';
import path from 'node:path';
import { obstacleText } from '../../../machine/index.ts';
import type { OciProgram } from '../../base/confinement.ts';
import type { NamespaceFacts } from '../../base/features.ts';
import { runHelper } from '../../base/helper.ts';
import { quietly } from '../../../quietly.ts';
import { inTrialFolder, makeTrialFolder } from '../detection/trial-folder.ts';
import { defaultFilter } from '../seccomp/default-profile.ts';
import { findProgram, searchFolders } from '../detection/programs.ts';
import { bundleConfig } from './bundle.ts';
import { ociFiles, ociWords } from '../namespace/oci-program.ts';

/** The place of an OCI runtime on this machine, or the reason why podrun cannot use it. */
export type OciDetection =
  | { readonly ok: true; readonly program: OciProgram }
  | { readonly ok: false; readonly isInstalled: boolean; readonly why: string };

export interface OciQuestion {
  /** The name of a program to be found, or an absolute path. */
  readonly wanted: string;
  /** Undefined: there are no namespaces. */
  readonly facts: NamespaceFacts | undefined;
  readonly stateDir: string;
  readonly userPath: string | undefined;
}

/** The second hierarchy of a machine that has cgroups of both versions. crun before 1.9 takes it for the only one. */
const SECOND_HIERARCHY = '/sys/fs/cgroup/unified';

/**
 * Mounts the host's root unchanged at the folder of the trial, and runs the bundle there. With an argument, takes the
 * second hierarchy of cgroups away first.
 */
const SCRIPT = `"$MOUNT" -n -c --rbind / "$ROOT" && { [ -z "$1" ] || "$UMOUNT" -n -l "$1"; } && shift && exec "$@"`;

const TRIAL_MS = 10_000;

/** Finds an OCI runtime, and runs a container with it (50 to 100 ms). */
export async function detectOci({ wanted, facts, stateDir, userPath }: OciQuestion): Promise<OciDetection> {
  const file = path.isAbsolute(wanted) ? wanted : findProgram(wanted, searchFolders(userPath))?.file;
  if (file === undefined || !existsSync(file)) {
    return { ok: false, isInstalled: false, why: `${wanted} is not installed` };
  }
  const refused = (why: string): OciDetection => ({ ok: false, isInstalled: true, why });
  if (facts === undefined) return refused('there are no namespaces for its containers');
  if (facts.mode !== 'root') {
    return refused('podrun does not run as root, and gives containers of OCI runtimes no user namespace');
  }
  const folder = makeTrialFolder(stateDir);
  if (!folder.ok) return refused(`a trial run failed: ${obstacleText(folder.why)}`);
  return inTrialFolder(folder, async (at) => {
    const first = await tried(file, facts, at, '');
    if (first === undefined) return { ok: true, program: { file, hiddenMounts: [] } };
    const isThere = quietly(() => existsSync(path.join(SECOND_HIERARCHY, 'cgroup.procs'))) === true;
    const second = isThere ? await tried(file, facts, at, SECOND_HIERARCHY) : first;
    if (second === undefined) return { ok: true, program: { file, hiddenMounts: [SECOND_HIERARCHY] } };
    return refused(`a trial run failed: ${first}`);
  });
}

/** Runs `true` in a container. Returns why that failed. */
async function tried(file: string, facts: NamespaceFacts, folder: string, hidden: string): Promise<string | undefined> {
  const root = path.join(folder, 'r');
  const { bundle, config, state } = ociFiles(folder);
  mkdirSync(state, { recursive: true, mode: 0o700 });
  const identity = { uid: 0, gid: 0, groups: [], capabilities: ['kill'], noNewPrivileges: true };
  const place = { capabilities: identity.capabilities, machine: process.arch, kernel: release() };
  const call = { file: 'true', argv: ['true'], env: { PATH: '/usr/bin:/bin' }, cwd: '/' } as const;
  const namespaces = [{ type: 'mount' }, { type: 'pid' }, { type: 'ipc' }, { type: 'uts' }] as const;
  const request = { call, identity, root, namespaces, areKernelFilesOpen: false, seccomp: defaultFilter(place) };
  writeFileSync(config, JSON.stringify(bundleConfig(request)), { mode: 0o600 });
  const { unshare, sh, mount, umount } = facts.tools;
  const words = [...ociWords(file, state), 'run', '--bundle', bundle, `podrun-trial-${process.pid}`];
  const env = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C', MOUNT: mount, UMOUNT: umount, ROOT: root };
  const args = ['--mount', sh, '-c', SCRIPT, 'sh', hidden, ...words];
  const outcome = await runHelper({ program: unshare, args, env, timeoutMs: TRIAL_MS });
  return outcome.ok ? undefined : outcome.why;
}
