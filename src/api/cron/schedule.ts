import { ownValue } from '../base/json.ts';
import { parseDuration } from '../base/duration.ts';
import { goQuote } from '../go/go-quote.ts';

/**
 * A schedule of a CronJob. Source of all rules here: github.com/robfig/cron/v3, parser.go ParseStandard.
 */
export type CronSchedule =
  | { readonly type: 'fields'; readonly fields: readonly ScheduleField[] }
  /** Counted from the last time, in milliseconds: whole seconds. */
  | { readonly type: 'every'; readonly everyMs: number };

/** The values of a field at which the schedule is due: minute, hour, day of month, month, day of week. */
export interface ScheduleField {
  readonly values: ReadonlySet<number>;
  /** True for `*` and `?`. When both fields of days are restricted, one of them is enough. */
  readonly isAny: boolean;
}

/** A mistake in a schedule, in the parser's words. */
export interface ScheduleProblem {
  readonly problem: string;
}

interface Field {
  readonly min: number;
  readonly max: number;
  /** Names of three letters. The first stands for `min`. */
  readonly names: readonly string[];
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const FIELDS: readonly Field[] = [
  { min: 0, max: 59, names: [] },
  { min: 0, max: 23, names: [] },
  { min: 1, max: 31, names: [] },
  { min: 1, max: 12, names: MONTHS },
  { min: 0, max: 6, names: DAYS },
];
const MACROS: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
};
const EVERY = '@every ';
const GO_DURATION = /^[-+]?(?:0|(?:(?:\d+(?:\.\d*)?|\.\d+)(?:[nuµμ]s|ms?|[sh]))+)$/;
const TIME_ZONE = /^(?:CRON_)?TZ=\S*\s+/;

/** Parses a schedule, or returns its first mistake. */
export function parseSchedule(schedule: string): CronSchedule | ScheduleProblem {
  // Another rule refuses a time zone in front, with a better message.
  const spec = schedule.replace(TIME_ZONE, '');
  if (spec.startsWith('@')) return parseMacro(spec);
  const parts = spec.split(/\s+/).filter((part) => part !== '');
  if (schedule === '') return { problem: 'empty spec string' };
  if (parts.length !== FIELDS.length) {
    return { problem: `expected exactly ${FIELDS.length} fields, found ${parts.length}: [${parts.join(' ')}]` };
  }
  const fields: ScheduleField[] = [];
  for (const [index, field] of FIELDS.entries()) {
    const parsed = parseField(parts[index] ?? '', field);
    if ('problem' in parsed) return parsed;
    fields.push(parsed);
  }
  return { type: 'fields', fields };
}

function parseMacro(spec: string): CronSchedule | ScheduleProblem {
  const fields = ownValue(MACROS, spec);
  if (fields !== undefined) return parseSchedule(fields);
  if (!spec.startsWith(EVERY)) return { problem: `unrecognized descriptor: ${spec}` };
  const duration = spec.slice(EVERY.length);
  if (GO_DURATION.test(duration)) {
    return { type: 'every', everyMs: Math.max(1000, Math.floor(parseDuration(duration) / 1000) * 1000) };
  }
  return { problem: `failed to parse duration ${spec}: time: invalid duration ${goQuote(duration)}` };
}

function parseField(text: string, field: Field): ScheduleField | ScheduleProblem {
  const values = new Set<number>();
  let isAny = false;
  for (const expression of text.split(',').filter((part) => part !== '')) {
    const range = parseRange(expression, field);
    if ('problem' in range) return range;
    isAny ||= range.isAny;
    for (let value = range.first; value <= range.last; value += range.step) values.add(value);
  }
  return { values, isAny };
}

interface ValueRange {
  readonly first: number;
  readonly last: number;
  readonly step: number;
  readonly isAny: boolean;
}

/** Parses `*`, `5` or `1-5`, each with an optional step: `1-5/2`. */
function parseRange(expression: string, field: Field): ValueRange | ScheduleProblem {
  const [range = '', stepText, ...moreSteps] = expression.split('/');
  const [firstText = '', lastText, ...moreEnds] = range.split('-');
  const isAny = firstText === '*' || firstText === '?';
  const first = isAny ? field.min : parseNumber(firstText, field.names, field.min);
  if (typeof first === 'string') return { problem: first };
  if (!isAny && moreEnds.length > 0) return { problem: `too many hyphens: ${expression}` };
  const given = isAny || lastText === undefined ? undefined : parseNumber(lastText, field.names, field.min);
  if (typeof given === 'string') return { problem: given };
  if (moreSteps.length > 0) return { problem: `too many slashes: ${expression}` };
  const step = stepText === undefined ? 1 : parseNumber(stepText, [], 0);
  if (typeof step === 'string') return { problem: step };
  const isOpen = isAny || (lastText === undefined && stepText !== undefined);
  const last = given ?? (isOpen ? field.max : first);
  const problem = rangeProblem({ first, last, step }, expression, field);
  return problem === undefined ? { first, last, step, isAny: isAny && step <= 1 } : { problem };
}

function rangeProblem(
  { first, last, step }: Omit<ValueRange, 'isAny'>,
  expression: string,
  field: Field,
): string | undefined {
  if (first < field.min) return `beginning of range (${first}) below minimum (${field.min}): ${expression}`;
  if (last > field.max) return `end of range (${last}) above maximum (${field.max}): ${expression}`;
  if (first > last) return `beginning of range (${first}) beyond end of range (${last}): ${expression}`;
  return step === 0 ? `step of range should be a positive number: ${expression}` : undefined;
}

/** Parses a number or a name. Returns a mistake as text. */
function parseNumber(text: string, names: readonly string[], firstNumber: number): number | string {
  const named = names.indexOf(text.toLowerCase());
  if (named >= 0) return named + firstNumber;
  if (!/^[-+]?[0-9]+$/.test(text)) {
    return `failed to parse int from ${text}: strconv.Atoi: parsing ${goQuote(text)}: invalid syntax`;
  }
  const number = Number(text);
  return number < 0 ? `negative number (${number}) not allowed: ${text}` : number;
}
