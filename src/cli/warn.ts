import { note } from './preferences.ts';

/** Tells people of something that may not be what they meant, as kubectl does. */
export function warn(text: string): void {
  note(`Warning: ${text}`);
}
