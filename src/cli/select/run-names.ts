import { EXIT, PodrunError } from '../../api/errors.ts';
import type { Selection } from './selection.ts';

/** What `--at` does, for the help of all commands that have it. */
export const AT_DESCRIPTION =
  'as it was then: 3.2s after its creation, restart:2, phase:Running, condition:Ready, a time';

/** Is the name that of a run, and not that of a Pod: `web@1`, `uid:4f6…`? */
export function isRunName(name: string): boolean {
  return name.includes('@') || name.startsWith('uid:');
}

/** Is the command about the past: a moment of it, or runs that are over? */
export function isAboutPast(selection: Selection, at: string | undefined): boolean {
  if (at !== undefined) return true;
  return selection.how === 'named' && selection.refs.some(({ name }) => isRunName(name));
}

/** @throws {PodrunError} (usage) when the past is to be watched, of which nothing can come */
export function refuseWatchedPast(at: string | undefined, isWatched: boolean): void {
  if (at === undefined || !isWatched) return;
  throw new PodrunError('error: --at shows one moment: it cannot be used with --watch', { exitCode: EXIT.usage });
}
