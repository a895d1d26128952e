/** How much of a text that others wrote stands in a line that podrun writes. */
const MAX_CHARACTERS = 400;

/** The beginning of a text that may be of any length; all of it is in `describe`, in the events and in the logs. */
export function excerpt(text: string, maxCharacters: number = MAX_CHARACTERS): string {
  return text.length <= maxCharacters ? text : `${beginningOf(text, maxCharacters - 1)}…`;
}

/** The first characters; one that takes two places is not cut in half. */
export function beginningOf(text: string, length: number): string {
  return text.slice(0, Math.max(0, length)).replace(/[\uD800-\uDBFF]$/, '');
}
