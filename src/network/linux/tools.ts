import { findProgram, searchFolders } from '../../runtime/index.ts';
import { WAY_OUT_PROGRAMS, type WayOutTools } from './way-out-commands.ts';

const NAMES = ['sh', 'unshare', 'nsenter', 'setpriv', 'sleep', 'ip'] as const;

/** Absolute paths of the programs that make networks. */
export type NetworkTools = Readonly<Record<(typeof NAMES)[number], string>>;

/** Searches for the programs. Returns the names of missing ones. */
export function findNetworkTools(
  userPath: string | undefined,
): { readonly ok: true; readonly tools: NetworkTools } | { readonly ok: false; readonly missing: readonly string[] } {
  const folders = searchFolders(userPath);
  const programs = NAMES.map((name) => [name, findProgram(name, folders)?.file] as const);
  const missing = programs.flatMap(([name, file]) => (file === undefined ? [name] : []));
  if (missing.length > 0) return { ok: false, missing };
  const tools = Object.fromEntries(programs.map(([name, file]) => [name, file ?? '']));
  return { ok: true, tools: tools as unknown as NetworkTools };
}

/** A text that changes when a search would find other programs. */
export function networkMarks(userPath: string | undefined): string {
  const folders = searchFolders(userPath);
  const programs = [...NAMES, ...WAY_OUT_PROGRAMS, 'nft'].map((name) => findProgram(name, folders));
  return programs.map((program) => (program === undefined ? '-' : `${program.file}:${program.mark}`)).join(' ');
}

/** The path of nft. Undefined: it is not installed. */
export function findNft(userPath: string | undefined): string | undefined {
  return findProgram('nft', searchFolders(userPath))?.file;
}

/**
 * The ways out that this machine may permit, the best one first. Without nft there is none. Only root has the last one,
 * which changes a setting of the machine unless it forwards packets already.
 */
export function findWaysOut(userPath: string | undefined): readonly WayOutTools[] {
  const folders = searchFolders(userPath);
  const nft = findNft(userPath);
  if (nft === undefined) return [];
  const ip = process.getuid?.() === 0 ? findProgram('ip', folders)?.file : undefined;
  return [
    ...WAY_OUT_PROGRAMS.flatMap((kind): WayOutTools[] => {
      const program = findProgram(kind, folders)?.file;
      return program === undefined ? [] : [{ kind, program, nft }];
    }),
    ...(ip === undefined ? [] : [{ kind: 'nat', program: ip, nft } as const]),
  ];
}

/** The names of missing programs for a way out: pasta stands for both of its kinds. */
export function missingForWayOut(userPath: string | undefined): readonly string[] {
  const folders = searchFolders(userPath);
  const isMissing = (name: string): boolean => findProgram(name, folders) === undefined;
  return [...(WAY_OUT_PROGRAMS.every(isMissing) ? ['pasta'] : []), ...(isMissing('nft') ? ['nft'] : [])];
}

/** The sysctls of a network namespace by their paths below /proc/sys, with values without line breaks. */
export type Sysctls = ReadonlyArray<readonly [path: string, value: string]>;

/** The lines of a script that set the sysctls of $SYSCTLS in its network. Only its owner has the right to. */
export const SET_SYSCTLS = `printf '%s\\n' "$SYSCTLS" | while read -r file value; do
  [ -z "$file" ] || { printf '%s\\n' "$value" >"/proc/sys/$file"; } 2>/dev/null ||
    { echo "the kernel does not take $value for the sysctl $file"; exit 1; }
done || exit 1`;

/** The value of $SYSCTLS. */
export function sysctlsText(sysctls: Sysctls): string {
  return sysctls.map(([path, value]) => `${path} ${value}`).join('\n');
}
