/** The formats of strings in objects: quantities, times, base64. */
import { formatQuantity, goQuote, parseQuantity, PodrunError } from '../../api/index.ts';

/** A value in its canonical form, or a mistake in the API server's words. */
type Checked =
  | { readonly value: string; readonly wrong?: undefined }
  | { readonly wrong: string; readonly value?: undefined };

/** Checks a quantity. Accepts blanks before and after it, as the API server does. */
export function checkQuantity(text: string): Checked {
  try {
    return { value: formatQuantity(parseQuantity(text.trim())) };
  } catch (error) {
    if (error instanceof PodrunError) return { wrong: error.message };
    throw error;
  }
}

const BASE64_CHARACTER = /^[A-Za-z0-9+/]$/;
const QUANTUM = 4;

/** Checks standard base64 with padding. Skips line breaks. Offsets count bytes of the text, as in Go. */
export function checkBase64(text: string): Checked {
  const wrong = (offset: number): Checked => ({ wrong: `illegal base64 data at input byte ${offset}` });
  let digits = 0;
  let paddings = 0;
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (char === '\n' || char === '\r') continue;
    const inQuantum = (digits + paddings) % QUANTUM;
    // After a padding character only a second one may follow. Go reports the position before the wrong character.
    if (paddings > 0 && inQuantum === 0) return wrong(at);
    if (paddings > 0 && char !== '=') return wrong(at - 1);
    if (char === '=') {
      if (inQuantum < 2) return wrong(at);
      paddings += 1;
    } else if (BASE64_CHARACTER.test(char)) digits += 1;
    else return wrong(at);
  }
  const missing = (digits + paddings) % QUANTUM;
  if (missing !== 0) return wrong(paddings > 0 ? text.length : text.length - missing);
  return { value: Buffer.from(text, 'base64').toString('base64') };
}

type TimePart = readonly [layout: string, form: RegExp, range?: readonly [string, number, number]];

/** The parts of Go's time layout in order, each with the form of the text in its place. */
const TIME_PARTS: readonly TimePart[] = [
  ['2006', /^\d{4}/],
  ['-', /^-/],
  ['01', /^\d\d/, ['month', 1, 12]],
  ['-', /^-/],
  ['02', /^\d\d/, ['day', 1, 31]],
  ['T', /^T/],
  ['15', /^\d\d?/, ['hour', 0, 23]],
  [':', /^:/],
  ['04', /^\d\d/, ['minute', 0, 59]],
  [':', /^:/],
  ['05', /^\d\d(?:[.,]\d+)?/, ['second', 0, 59]],
  ['Z07:00', /^(?:Z|[-+]\d\d:\d\d)/],
];

/** The same for times with microseconds, which have all six digits. */
const PRECISE_PARTS = TIME_PARTS.flatMap(([layout, form, ...range]): TimePart[] =>
  layout === '05'
    ? [
        [layout, /^\d\d/, ...range],
        ['.000000', /^[.,]\d{6}/],
      ]
    : [[layout, form, ...range]],
);

/** Checks an RFC 3339 time, which keeps its text. The messages are Go's, from time.Parse. */
export function checkTime(text: string, type: 'time' | 'microTime' = 'time'): Checked {
  const parts = type === 'time' ? TIME_PARTS : PRECISE_PARTS;
  let rest = text;
  for (const [layout, form, range] of parts) {
    const match = form.exec(rest);
    if (match === null) {
      const whole = parts.map(([each]) => each).join('');
      return {
        wrong: `parsing time ${goQuote(text)} as "${whole}": cannot parse ${goQuote(rest)} as "${layout}"`,
      };
    }
    const [part] = match;
    const [name, low, high] = range ?? ['', 0, 0];
    const value = Math.floor(Number.parseFloat(part));
    if (range !== undefined && (value < low || value > high)) {
      return { wrong: `parsing time ${goQuote(text)}: ${name} out of range` };
    }
    rest = rest.slice(part.length);
  }
  if (rest !== '') return { wrong: `parsing time ${goQuote(text)}: extra text: ${goQuote(rest)}` };
  const [year = 0, month = 0, day = 0] = text.slice(0, 10).split('-').map(Number);
  const lastDay = new Date(Date.UTC(year, month, 0)).getUTCDate();
  return day > lastDay ? { wrong: `parsing time ${goQuote(text)}: day out of range` } : { value: text };
}

type IntegerType = 'int32' | 'int64';

const LIMITS: Readonly<Record<IntegerType, { bits: number; min: bigint; max: bigint }>> = {
  int32: { bits: 32, min: -(2n ** 31n), max: 2n ** 31n - 1n },
  int64: { bits: 64, min: -(2n ** 63n), max: 2n ** 63n - 1n },
};

export function isIntegerType(type: string): type is IntegerType {
  return Object.hasOwn(LIMITS, type);
}

/** The name of the type in messages. */
export function integerName(type: IntegerType): string {
  return `integer (${LIMITS[type].bits}-bit)`;
}

/** The largest JavaScript number whose text fits 64 bits. */
const LARGEST = 2 ** 63 - 1024;

/**
 * A whole number within the range of the type. Undefined for any other value. Numbers beyond 2^53 lose their last
 * digits, but the result still fits 64 bits.
 */
export function toInteger(value: unknown, type: IntegerType): number | undefined {
  const isWhole = typeof value === 'bigint' || (typeof value === 'number' && Number.isInteger(value));
  if (!isWhole) return undefined;
  const whole = BigInt(value);
  const { min, max } = LIMITS[type];
  return whole < min || whole > max ? undefined : Math.max(-LARGEST, Math.min(LARGEST, Number(whole)));
}
