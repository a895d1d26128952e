/** A value of DER, the binary form of certificates and requests for them. */
export interface DerValue {
  /** The byte of its type: 0x30 for a sequence, 0x82 for the second of several choices. */
  readonly tag: number;
  readonly content: Uint8Array;
}

/**
 * The values that stand one after the other in these bytes. Source: ITU-T X.690, 8.1 and 10.1.
 * @throws {RangeError} for bytes that end in the middle of a value
 */
export function derValues(bytes: Uint8Array): DerValue[] {
  const values: DerValue[] = [];
  for (let at = 0; at < bytes.length;) {
    const [tag = 0, short = 0] = bytes.subarray(at, at + 2);
    const longBytes = short < 0x80 ? 0 : short - 0x80;
    const start = at + 2 + longBytes;
    const length =
      longBytes === 0 ? short : bytes.subarray(at + 2, start).reduce((all, byte) => all * 0x1_00 + byte, 0);
    if (start + length > bytes.length) throw new RangeError('a value of DER is cut off');
    values.push({ tag, content: bytes.subarray(start, start + length) });
    at = start + length;
  }
  return values;
}

/** The dotted form of an object identifier: `2.5.4.3`. Source: ITU-T X.690, 8.19. */
export function derIdentifier({ content }: DerValue): string {
  const [first = 0, ...rest] = content;
  const numbers = [Math.min(Math.trunc(first / 40), 2)];
  numbers.push(first - 40 * (numbers[0] ?? 0));
  let number = 0;
  for (const byte of rest) {
    number = number * 0x80 + (byte & 0x7f);
    if (byte >= 0x80) continue;
    numbers.push(number);
    number = 0;
  }
  return numbers.join('.');
}

/** The characters of a text. */
export function derText({ content }: DerValue): string {
  return new TextDecoder().decode(content);
}
