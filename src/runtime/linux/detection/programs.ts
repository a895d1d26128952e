import { realpathSync } from 'node:fs';
import path from 'node:path';
import type { Obstacle } from '../../../machine/index.ts';
import { statQuietly } from '../../../quietly.ts';
import type { NamespaceTools } from '../../base/features.ts';

/** The folders for a system's programs, independent of the user's PATH. */
const SYSTEM_FOLDERS = ['/usr/sbin', '/usr/bin', '/sbin', '/bin'];

/** The folders to search: the system's folders, then the folders of the user's PATH. */
export function searchFolders(userPath: string | undefined): string[] {
  const users = (userPath ?? '').split(':').filter((folder) => path.isAbsolute(folder));
  return [...new Set([...SYSTEM_FOLDERS, ...users])];
}

/** A program, with a mark that changes when the file is replaced. */
export interface FoundProgram {
  readonly file: string;
  readonly mark: string;
}

/**
 * Searches for a program without starting anything (4 µs a folder). A folder that the user may not enter has none, as
 * for a shell.
 */
export function findProgram(name: string, folders: readonly string[]): FoundProgram | undefined {
  for (const folder of folders) {
    const file = path.join(folder, name);
    const stats = statQuietly(file);
    if (stats?.isFile() && (stats.mode & 0o111) !== 0) return { file, mark: `${stats.ino}:${stats.mtimeMs}` };
  }
  return undefined;
}

const NAMES: Readonly<Record<keyof Required<NamespaceTools>, string>> = {
  sh: 'sh',
  unshare: 'unshare',
  nsenter: 'nsenter',
  mount: 'mount',
  umount: 'umount',
  pivotRoot: 'pivot_root',
  flock: 'flock',
  env: 'env',
  setpriv: 'setpriv',
  setsid: 'setsid',
  sleep: 'sleep',
  perl: 'perl',
};

/** The programs without which podrun does less. */
const OPTIONAL: ReadonlySet<string> = new Set(['perl']);

/** The programs with options that only util-linux has. */
const OF_UTIL_LINUX: readonly Exclude<keyof NamespaceTools, 'perl'>[] = [
  'unshare',
  'nsenter',
  'mount',
  'umount',
  'setpriv',
  'setsid',
];

export type ToolsOutcome =
  | { readonly ok: true; readonly tools: NamespaceTools; readonly marks: string }
  | { readonly ok: false; readonly why: Obstacle; readonly marks: string };

/** Searches for the programs that make namespaces. `marks` change when a search would find different programs. */
export function findTools(folders: readonly string[]): ToolsOutcome {
  const entries = Object.entries(NAMES) as [keyof NamespaceTools, string][];
  const searched = entries.map(([tool, name]) => ({ tool, name, program: findProgram(name, folders) }));
  const marks = searched
    .map(({ program }) => (program === undefined ? '-' : `${program.file}:${program.mark}`))
    .join(' ');
  const missing = searched.flatMap(({ name, program }) => (program === undefined && !OPTIONAL.has(name) ? [name] : []));
  if (missing.length > 0) return { ok: false, why: { type: 'missingPrograms', programs: missing }, marks };
  const entriesOfTools = searched.flatMap(({ tool, program }) => (program === undefined ? [] : [[tool, program.file]]));
  const tools = Object.fromEntries(entriesOfTools) as NamespaceTools;
  return { ok: true, tools, marks };
}

/** The tools that are a busybox, which lacks the options that podrun needs. */
export function busyboxAmong(tools: NamespaceTools): string[] {
  return OF_UTIL_LINUX.filter((tool) => /^(busybox|toybox)/.test(path.basename(realpathSync(tools[tool])))).map(
    (tool) => NAMES[tool],
  );
}
