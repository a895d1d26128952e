import { findProgram, searchFolders } from '../detection/programs.ts';

const NAMES = ['sh', 'unshare', 'nsenter', 'setpriv', 'sleep', 'ip'] as const;

/** Absolute paths of the programs that make networks. */
export type NetworkTools = Readonly<Record<(typeof NAMES)[number], string>>;

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
