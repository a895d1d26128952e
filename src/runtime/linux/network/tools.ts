import { findProgram, searchFolders } from '../detection/programs.ts';

/** Absolute paths of the programs that make networks. */
export interface NetworkTools {
  readonly sh: string;
  readonly unshare: string;
  readonly nsenter: string;
  readonly setpriv: string;
  readonly sleep: string;
  readonly ip: string;
}

const NAMES: readonly (keyof NetworkTools)[] = ['sh', 'unshare', 'nsenter', 'setpriv', 'sleep', 'ip'];

/** Searches for the programs. Returns the names of missing ones. */
export function findNetworkTools(
  userPath: string | undefined,
): { readonly ok: true; readonly tools: NetworkTools } | { readonly ok: false; readonly missing: readonly string[] } {
  const folders = searchFolders(userPath);
  const found = NAMES.map((name) => [name, findProgram(name, folders)?.file] as const);
  const missing = found.flatMap(([name, file]) => (file === undefined ? [name] : []));
  if (missing.length > 0) return { ok: false, missing };
  const tools = Object.fromEntries(found.map(([name, file]) => [name, file ?? '']));
  return { ok: true, tools: tools as unknown as NetworkTools };
}
