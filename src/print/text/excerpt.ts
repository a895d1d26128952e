/** The length of a foreign text within a line of podrun. */
const MAX_CHARACTERS = 400;

/** The beginning of a text of any length. `describe`, events and logs have the whole text. */
export function excerpt(text: string, maxCharacters: number = MAX_CHARACTERS): string {
  return text.length <= maxCharacters ? text : `${beginningOf(text, maxCharacters - 1)}…`;
}

/** The first characters of a text. Does not split a surrogate pair. */
export function beginningOf(text: string, length: number): string {
  return text.slice(0, Math.max(0, length)).replace(/[\uD800-\uDBFF]$/, '');
}
