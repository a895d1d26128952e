import {
  add,
  again,
  againIf,
  below,
  block,
  both,
  byteAt,
  type Code,
  different,
  either,
  equal,
  type FunctionCode,
  get,
  I32,
  i32,
  leave,
  leaveIf,
  lettersOf,
  loop,
  not,
  sameBytes,
  set,
  sixteenTimes,
  storeWide,
  storeWord,
  subtract,
  trailingZeros,
  V128,
  when,
  wideAt,
  wordAt,
} from './assembly.ts';

/** The memory layout of a LineMachine. Reads and writes of 16 bytes may go beyond the end of a part. */
export const OFFSETS: {
  readonly stoppedAt: number;
  readonly isLineStart: number;
  readonly since: number;
  readonly head: number;
  readonly input: number;
  readonly output: number;
  readonly outputFull: number;
  readonly end: number;
} = {
  stoppedAt: 0,
  isLineStart: 4,
  since: 16,
  head: 64,
  input: 4096,
  output: 4096 + 257 * 1024,
  outputFull: 4096 + 769 * 1024,
  // Room for a head and the longest line after a full output.
  end: 4096 + 1088 * 1024,
};

const NEWLINES = sixteenTimes(10);
const BLANKS = sixteenTimes(32);
const [BLANK, FULL, PARTIAL] = [32, 70, 80];

/** Four letters as a 32-bit word. */
const word = (letters: string): Code => i32(lettersOf(letters).reduceRight((value, letter) => value * 256 + letter, 0));

const advance = (local: number, by: Code): Code => set(local, add(get(local), by));

/** Copies up to and including the next newline. There must be one. */
function copyLine({ at, out, found, bytes }: Record<'at' | 'out' | 'found' | 'bytes', number>): Code {
  return [
    loop(
      set(bytes, wideAt(get(at))),
      storeWide(get(out), get(bytes)),
      set(found, sameBytes(get(bytes), NEWLINES)),
      when(not(get(found)), advance(at, i32(16)), advance(out, i32(16)), again(1)),
    ),
    set(found, add(trailingZeros(get(found)), i32(1))),
    advance(at, get(found)),
    advance(out, get(found)),
  ].flat();
}

/** Copies the head 16 bytes at a time, then goes back by the excess. */
function copyHead({ out, from, headEnd }: Record<'out' | 'from' | 'headEnd', number>): Code {
  return [
    set(from, i32(OFFSETS.head)),
    loop(
      storeWide(get(out), wideAt(get(from))),
      advance(out, i32(16)),
      advance(from, i32(16)),
      againIf(below(get(from), get(headEnd)), 0),
    ),
    advance(out, subtract(get(headEnd), get(from))),
  ].flat();
}

/** See LineMachine.addLines. Returns the end of the output. */
function prefixCode(): FunctionCode {
  const [at, end, out, full, headEnd, lineMax, from, lineOut, found, bytes] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9] as const;
  return {
    name: 'prefix',
    parameters: 6,
    locals: [I32, I32, I32, V128],
    body: [
      block(
        loop(
          set(lineOut, get(out)),
          copyHead({ out, from, headEnd }),
          set(from, get(at)),
          copyLine({ at, out, found, bytes }),
          when(below(get(lineMax), subtract(get(at), get(from))), set(out, get(lineOut)), set(at, get(from)), leave(2)),
          againIf(both(below(get(at), get(end)), below(get(out), get(full))), 0),
        ),
      ),
      storeWord(i32(OFFSETS.stoppedAt), get(at)),
      get(out),
    ],
  };
}

// The offsets in a record: 2026-11-20T20:01:02.123000000Z stdout F content
const [TIME_BYTES, STREAM, TAG, CONTENT] = [30, 31, 38, 40] as const;

/** True when the record does not begin as podrun's own records do. */
function isOdd(at: number): Code {
  const hasNewline = [0, 16, 24].map((offset) => sameBytes(wideAt(get(at), offset), NEWLINES));
  const hasBlankInTime = [0, 14].map((offset) => sameBytes(wideAt(get(at), offset), BLANKS));
  const lacksBlank = [TIME_BYTES, 37, 39].map((offset) => different(byteAt(get(at), offset), i32(BLANK)));
  // Two overlapping words compare six letters.
  const is = (stream: string): Code =>
    both(
      equal(wordAt(get(at), STREAM), word(stream.slice(0, 4))),
      equal(wordAt(get(at), STREAM + 2), word(stream.slice(2))),
    );
  const tagIs = (tag: number): Code => equal(byteAt(get(at), TAG), i32(tag));
  const lacksWords = [not(either(is('stdout'), is('stderr'))), not(either(tagIs(FULL), tagIs(PARTIAL)))];
  return [...hasNewline, ...hasBlankInTime, ...lacksBlank, ...lacksWords].reduce(either);
}

/** True when the time of the record is before the time at `since`. The first different byte decides. */
function isEarly(at: number, { found, from }: Record<'found' | 'from', number>): Code[] {
  const others = (offset: number): Code =>
    subtract(i32(0xffff), sameBytes(wideAt(get(at), offset), wideAt(i32(OFFSETS.since), offset)));
  return [
    set(from, i32(0)),
    set(found, others(0)),
    when(not(get(found)), set(from, i32(TIME_BYTES - 16)), set(found, others(TIME_BYTES - 16))),
    advance(from, trailingZeros(get(found))),
    both(
      different(get(found), i32(0)),
      below(byteAt(add(get(at), get(from))), byteAt(add(i32(OFFSETS.since), get(from)))),
    ),
  ];
}

/** See LineMachine.addContents. Returns the end of the output. */
function contentsCode(): FunctionCode {
  const [at, end, out, full, headEnd, timeBytes, hasSince, isStart] = [0, 1, 2, 3, 4, 5, 6, 7] as const;
  const [from, lineOut, found, tag, early, bytes] = [8, 9, 10, 11, 12, 13] as const;
  return {
    name: 'contents',
    parameters: 8,
    locals: [I32, I32, I32, I32, I32, V128],
    body: [
      block(
        loop(
          leaveIf(isOdd(at), 1),
          set(tag, byteAt(get(at), TAG)),
          set(lineOut, get(out)),
          when(
            get(isStart),
            when(different(get(headEnd), i32(OFFSETS.head)), copyHead({ out, from, headEnd })),
            when(
              get(timeBytes),
              storeWide(get(out), wideAt(get(at))),
              storeWide(get(out), wideAt(get(at), 16), 16),
              advance(out, get(timeBytes)),
            ),
          ),
          when(get(hasSince), set(early, ...isEarly(at, { found, from }))),
          advance(at, i32(CONTENT)),
          copyLine({ at, out, found, bytes }),
          when(equal(get(tag), i32(PARTIAL)), set(out, subtract(get(out), i32(1)))),
          when(get(early), set(out, get(lineOut))),
          when(not(get(early)), set(isStart, equal(get(tag), i32(FULL)))),
          againIf(both(below(get(at), get(end)), below(get(out), get(full))), 0),
        ),
      ),
      storeWord(i32(OFFSETS.stoppedAt), get(at)),
      storeWord(i32(OFFSETS.isLineStart), get(isStart)),
      get(out),
    ],
  };
}

export const lineCode = (): FunctionCode[] => [prefixCode(), contentsCode()];
