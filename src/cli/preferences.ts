import { printError } from './standard-streams.ts';
/** The flags of every command that decide how much podrun prints, and how. */
export interface Preferences {
  readonly color: 'auto' | 'always' | 'never';
  /** True with --quiet: only errors and the output that the user asked for. */
  readonly isQuiet: boolean;
  /** True with --verbose: podrun prints its decisions and their reasons. */
  readonly isVerbose: boolean;
  /** True when a pager may show long texts. */
  readonly pages: boolean;
}

let chosen: Preferences = { color: 'auto', isQuiet: false, isVerbose: false, pages: true };

/** Sets the preferences. Called once, before the command runs. */
export function choosePreferences(preferences: Preferences): void {
  chosen = preferences;
}

export function preferences(): Preferences {
  return chosen;
}

/** Writes a remark to standard error. --quiet silences it. */
export function note(text: string): void {
  if (!chosen.isQuiet) printError(`${text}\n`);
}

/** Writes a warning to standard error, in kubectl's form. */
export function warn(text: string): void {
  note(`Warning: ${text}`);
}

/** Writes a decision to standard error, only with --verbose. */
export function detail(text: string): void {
  if (chosen.isVerbose) printError(`podrun: ${text}\n`);
}
