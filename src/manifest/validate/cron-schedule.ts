import { goQuote } from '../../api/go/go-quote.ts';

/** Mistakes in the schedule of a CronJob. Source: github.com/robfig/cron/v3, parser.go, ParseStandard. */

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
const MACROS: ReadonlySet<string> = new Set([
  '@yearly',
  '@annually',
  '@monthly',
  '@weekly',
  '@daily',
  '@midnight',
  '@hourly',
]);
const EVERY = '@every ';
const GO_DURATION = /^[-+]?(?:0|(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/;
const TIME_ZONE = /^(?:CRON_)?TZ=\S*\s+/;

/** The first mistake, in the parser's words. Undefined for a good schedule. */
export function scheduleProblem(schedule: string): string | undefined {
  // Another rule refuses a time zone in front, with a better message.
  const spec = schedule.replace(TIME_ZONE, '');
  if (spec.startsWith('@')) return macroProblem(spec);
  const parts = spec.split(/\s+/).filter((part) => part !== '');
  if (schedule === '') return 'empty spec string';
  if (parts.length !== FIELDS.length) {
    return `expected exactly ${FIELDS.length} fields, found ${parts.length}: [${parts.join(' ')}]`;
  }
  for (const [index, field] of FIELDS.entries()) {
    const problem = fieldProblem(parts[index] ?? '', field);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function macroProblem(spec: string): string | undefined {
  if (MACROS.has(spec)) return undefined;
  if (!spec.startsWith(EVERY)) return `unrecognized descriptor: ${spec}`;
  const duration = spec.slice(EVERY.length);
  if (GO_DURATION.test(duration)) return undefined;
  return `failed to parse duration ${spec}: time: invalid duration ${goQuote(duration)}`;
}

function fieldProblem(text: string, field: Field): string | undefined {
  for (const expression of text.split(',')) {
    const problem = expression === '' ? undefined : rangeProblem(expression, field);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** The mistake in `*`, `5` or `1-5`, each with an optional step: `1-5/2`. */
function rangeProblem(expression: string, field: Field): string | undefined {
  const [range = '', stepText, ...moreSteps] = expression.split('/');
  const [firstText = '', lastText, ...moreEnds] = range.split('-');
  const isAny = firstText === '*' || firstText === '?';
  const first = isAny ? field.min : parseNumber(firstText, field.names, field.min);
  if (typeof first === 'string') return first;
  if (!isAny && moreEnds.length > 0) return `too many hyphens: ${expression}`;
  const given = isAny || lastText === undefined ? undefined : parseNumber(lastText, field.names, field.min);
  if (typeof given === 'string') return given;
  if (moreSteps.length > 0) return `too many slashes: ${expression}`;
  const step = stepText === undefined ? 1 : parseNumber(stepText, [], 0);
  if (typeof step === 'string') return step;
  const isOpen = isAny || (lastText === undefined && stepText !== undefined);
  const last = given ?? (isOpen ? field.max : first);
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
