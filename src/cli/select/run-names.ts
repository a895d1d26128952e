import { usage } from '../../api/index.ts';
import type { Selection } from './selection.ts';

/** The description of `--at`, in the help of all commands with this flag. */
export const AT_DESCRIPTION =
  'the state at a moment: 3.2s after the creation, restart:2, phase:Running, condition:Ready, a time';

/** True for the name of a run, as opposed to the name of a Pod: `web@1`, `uid:4f6…`. */
export function isRunName(name: string): boolean {
  return name.includes('@') || name.startsWith('uid:');
}

/** True when a command is about the past: about a moment, or about runs. */
export function isAboutPast(selection: Selection, at: string | undefined): boolean {
  if (at !== undefined) return true;
  return selection.how === 'named' && selection.refs.some(({ name }) => isRunName(name));
}

/** @throws {PodrunError} (usage) for --at with --watch: the past does not change */
export function refuseWatchedPast(at: string | undefined, isWatched: boolean): void {
  if (at === undefined || !isWatched) return;
  throw usage('--at shows one moment: it cannot be used with --watch');
}
