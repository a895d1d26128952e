import { findProgram, searchFolders } from '../detection/programs.ts';
import { WAYS_OUT, type WayOutTools } from './way-out-commands.ts';

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

/** A text that changes when a search would find other programs. */
export function networkMarks(userPath: string | undefined): string {
  const folders = searchFolders(userPath);
  const found = [...NAMES, ...WAYS_OUT, 'nft'].map((name) => findProgram(name, folders));
  return found.map((program) => (program === undefined ? '-' : `${program.file}:${program.mark}`)).join(' ');
}

/** The path of nft. Undefined: it is not installed. */
export function findNft(userPath: string | undefined): string | undefined {
  return findProgram('nft', searchFolders(userPath))?.file;
}

/** The ways out that are installed, the best one first. Without nft there is none. */
export function findWaysOut(userPath: string | undefined): readonly WayOutTools[] {
  const folders = searchFolders(userPath);
  const nft = findNft(userPath);
  return WAYS_OUT.flatMap((kind): WayOutTools[] => {
    const program = findProgram(kind, folders)?.file;
    return program === undefined || nft === undefined ? [] : [{ kind, program, nft }];
  });
}

/** The names of missing programs for a way out: pasta stands for both of its kinds. */
export function missingForWayOut(userPath: string | undefined): readonly string[] {
  const folders = searchFolders(userPath);
  const isMissing = (name: string): boolean => findProgram(name, folders) === undefined;
  return [...(WAYS_OUT.every(isMissing) ? ['pasta'] : []), ...(isMissing('nft') ? ['nft'] : [])];
}
