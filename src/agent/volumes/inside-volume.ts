import { chmodSync, existsSync, mkdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';

export type SubPathOutcome =
  | { readonly ok: true; readonly path: string }
  /** It could not be made, or leads out of the volume. */
  | { readonly ok: false; readonly problem: 'not made' | 'outside' };

/**
 * The path of a part of a volume. A folder is made where nothing is, with the permissions of the volume. Links may lead
 * around inside the volume, not out of it. Source: pkg/volume/util/subpath/subpath_linux.go SafeMakeDir.
 * @param subPath relative, without `..`
 * @param mayMake false: nothing is added to the volume
 */
export function openSubPath(volume: string, subPath: string, mayMake = true): SubPathOutcome {
  const wanted = path.join(volume, subPath);
  try {
    if (!existsSync(wanted)) {
      if (!mayMake) return { ok: false, problem: 'not made' };
      makeInside(volume, subPath);
    }
  } catch {
    return { ok: false, problem: 'not made' };
  }
  return isInside(volume, wanted) ? { ok: true, path: wanted } : { ok: false, problem: 'outside' };
}

/** The text of a file in a volume; undefined when there is no such file, or it is elsewhere. */
export function readInside(volume: string, file: string): string | undefined {
  const wanted = path.join(volume, file);
  // Reading a named pipe would wait for somebody to write.
  if (!isInside(volume, wanted) || !statSync(wanted).isFile()) return undefined;
  return readFileSync(wanted, 'utf8');
}

function makeInside(volume: string, subPath: string): void {
  const mode = statSync(volume).mode & 0o7777;
  let place = volume;
  for (const part of subPath.split('/')) {
    const parent = place;
    place = path.join(place, part);
    if (existsSync(place)) continue;
    if (!isInside(volume, parent)) throw new Error(`${parent} is outside of allowed base ${volume}`);
    // Where a link leads to nowhere this fails: nothing is made at its other end.
    mkdirSync(place);
    chmodSync(place, mode);
  }
}

function isInside(volume: string, place: string): boolean {
  try {
    const [base, real] = [realpathSync(volume), realpathSync(place)];
    return real === base || real.startsWith(base === '/' ? '/' : `${base}/`);
  } catch {
    return false;
  }
}
