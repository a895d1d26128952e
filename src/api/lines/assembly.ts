/**
 * Instructions of WebAssembly for line-machine.ts, each as its bytes. The 128-bit registers process 16 bytes at a time.
 * V8 compiles them for the processor at hand.
 * @see https://webassembly.github.io/spec/core/binary/instructions.html
 */
export type Code = readonly number[];

/** Encodes a number in LEB128: seven bits a byte, the lowest first. */
function leb(value: number): number[] {
  const bytes: number[] = [];
  for (let rest = value; ; rest >>= 7) {
    const low = rest & 0x7f;
    const isLast = (rest >> 7 === 0 && (low & 0x40) === 0) || (rest >> 7 === -1 && (low & 0x40) !== 0);
    if (isLast) return [...bytes, low];
    bytes.push(low | 0x80);
  }
}

const counted = (items: readonly Code[]): number[] => [...leb(items.length), ...items.flat()];
const sized = (bytes: Code): number[] => [...leb(bytes.length), ...bytes];
const named = (name: string): number[] => sized(lettersOf(name));
/** The codes of ASCII letters. */
export const lettersOf = (text: string): number[] => Array.from(text, (letter) => letter.charCodeAt(0));

export const I32 = 0x7f;
export const V128 = 0x7b;
const [NOTHING, FUNCTION] = [0x40, 0x60];
const MAGIC_AND_VERSION = [0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0];

export const get = (local: number): Code => [0x20, local];
export const set = (local: number, ...value: Code[]): Code => [...value.flat(), 0x21, local];
export const i32 = (value: number): Code => [0x41, ...leb(value)];
export const add = (a: Code, b: Code): Code => [...a, ...b, 0x6a];
export const subtract = (a: Code, b: Code): Code => [...a, ...b, 0x6b];
export const equal = (a: Code, b: Code): Code => [...a, ...b, 0x46];
export const different = (a: Code, b: Code): Code => [...a, ...b, 0x47];
export const below = (a: Code, b: Code): Code => [...a, ...b, 0x49];
export const both = (a: Code, b: Code): Code => [...a, ...b, 0x71];
export const either = (a: Code, b: Code): Code => [...a, ...b, 0x72];
export const not = (a: Code): Code => [...a, 0x45];
export const trailingZeros = (a: Code): Code => [...a, 0x68];
export const byteAt = (address: Code, offset = 0): Code => [...address, 0x2d, 0, ...leb(offset)];
export const wordAt = (address: Code, offset = 0): Code => [...address, 0x28, 0, ...leb(offset)];
export const storeWord = (address: Code, value: Code): Code => [...address, ...value, 0x36, 0, 0];

/** Loads sixteen bytes. */
export const wideAt = (address: Code, offset = 0): Code => [...address, 0xfd, 0x00, 0, ...leb(offset)];
export function storeWide(address: Code, value: Code, offset = 0): Code {
  return [...address, ...value, 0xfd, 0x0b, 0, ...leb(offset)];
}
export const sixteenTimes = (byte: number): Code => [...i32(byte), 0xfd, 0x0f];
/** Compares two times sixteen bytes: one bit per byte, 1 for equal bytes. */
export const sameBytes = (a: Code, b: Code): Code => [...a, ...b, 0xfd, 0x23, 0xfd, 0x64];

/** Repeats its body at `again`, and ends after it. */
export const loop = (...body: Code[]): Code => [0x03, NOTHING, ...body.flat(), 0x0b];
/** Ends at `leave`. */
export const block = (...body: Code[]): Code => [0x02, NOTHING, ...body.flat(), 0x0b];
export const when = (condition: Code, ...then: Code[]): Code => [...condition, 0x04, NOTHING, ...then.flat(), 0x0b];
/** @param depth the number of surrounding loops, blocks and conditions; the innermost is 0 */
export const again = (depth: number): Code => [0x0c, depth];
export const againIf = (condition: Code, depth: number): Code => [...condition, 0x0d, depth];
export const leave: typeof again = again;
export const leaveIf: typeof againIf = againIf;

export interface FunctionCode {
  readonly name: string;
  /** The number of parameters. Parameters and result are i32. */
  readonly parameters: number;
  /** The types of further locals, numbered after the parameters. */
  readonly locals: readonly number[];
  readonly body: readonly Code[];
}

/** A module that exports a memory named `memory` and these functions. */
export function moduleOf(memoryPages: number, functions: readonly FunctionCode[]): Uint8Array {
  const section = (id: number, content: Code): number[] => [id, ...sized(content)];
  const types = functions.map(({ parameters }) => [
    FUNCTION,
    ...counted(Array.from({ length: parameters }, () => [I32])),
    ...counted([[I32]]),
  ]);
  const exported = functions.map(({ name }, index) => [...named(name), 0, ...leb(index)]);
  const bodies = functions.map(({ locals, body }) =>
    sized([...counted(locals.map((type) => [1, type])), ...body.flat(), 0x0b]),
  );
  return Uint8Array.from([
    ...MAGIC_AND_VERSION,
    ...section(1, counted(types)),
    ...section(3, counted(functions.map((_, index) => leb(index)))),
    ...section(5, counted([[0, ...leb(memoryPages)]])),
    ...section(7, counted([[...named('memory'), 2, 0], ...exported])),
    ...section(10, counted(bodies)),
  ]);
}
