/** Tells people of something that may not be what they meant, as kubectl does. */
export function warn(text: string): void {
  process.stderr.write(`Warning: ${text}\n`);
}
