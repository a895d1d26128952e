/** A text as Node.js writes a header: a character for each byte. */
export function asBytes(text: string): string {
  return Buffer.from(text).toString('latin1');
}

/** The text of a header in UTF-8, which Node.js has read as a character for each byte. */
export function fromBytes(header: string): string {
  return Buffer.from(header, 'latin1').toString();
}
