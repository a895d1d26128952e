import { printError } from './standard-streams.ts';
/** How podrun speaks, as the flags say that every command takes. */
export interface Preferences {
  readonly color: 'auto' | 'always' | 'never';
  /** Only errors, and what was asked for. */
  readonly isQuiet: boolean;
  /** Decisions are told: what was found where, and why something is done. */
  readonly isVerbose: boolean;
  /** Long texts for people may be shown page by page. */
  readonly pages: boolean;
}

let chosen: Preferences = { color: 'auto', isQuiet: false, isVerbose: false, pages: true };

/** Once, before the command begins. */
export function choosePreferences(preferences: Preferences): void {
  chosen = preferences;
}

export function preferences(): Preferences {
  return chosen;
}

/** A remark beside the output, which nobody has asked for. */
export function note(text: string): void {
  if (!chosen.isQuiet) printError(`${text}\n`);
}

/** Tells people of something that may not be what they meant, as kubectl does. */
export function warn(text: string): void {
  note(`Warning: ${text}`);
}

/** With --verbose: a decision, in a line of its own. */
export function detail(text: string): void {
  if (chosen.isVerbose) printError(`podrun: ${text}\n`);
}
