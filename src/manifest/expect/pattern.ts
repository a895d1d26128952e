import type { NumberRange, Pattern, PatternKind, WrittenPattern } from '../../history/index.ts';
import type { CheckedNode } from './checked-node.ts';

export const PHASES: readonly string[] = ['Pending', 'Running', 'Succeeded', 'Failed', 'Unknown'];
export const STATUSES: readonly string[] = ['True', 'False', 'Unknown'];

/** Any exit code of a failure. */
const NONZERO: NumberRange = { min: 1, max: 255, text: 'nonzero' };
export const CODES: Readonly<Record<string, NumberRange>> = { nonzero: NONZERO };

/** The fields that name a happening, each with the details that may go with it. */
const KINDS: Readonly<Record<PatternKind, readonly DetailName[]>> = {
  phase: [],
  condition: ['reason'],
  started: ['run'],
  exited: ['run', 'code', 'reason'],
  ready: ['run'],
  unready: ['run'],
  waiting: ['run', 'reason'],
  event: ['message'],
  deleted: [],
};

type DetailName = (typeof DETAILS)[number];
const DETAILS = ['run', 'code', 'reason', 'message'] as const;
const KIND_NAMES = Object.keys(KINDS) as PatternKind[];

/** The fields of a pattern in `steps` or `never`. */
type PatternField = PatternKind | DetailName | 'within' | 'after';
export const PATTERN_FIELDS: readonly PatternField[] = [...KIND_NAMES, ...DETAILS, 'within', 'after'];
type PatternFields = Partial<Record<PatternField, CheckedNode>>;

/** Reads a pattern. Returns undefined after a mistake, which is recorded. */
export function readPattern(node: CheckedNode, fields: PatternFields): WrittenPattern | undefined {
  const [what, ...others] = KIND_NAMES.filter((kind) => fields[kind] !== undefined);
  const value = what === undefined ? undefined : fields[what];
  if (what === undefined || value === undefined) {
    return node.hasUnknown ? undefined : node.wrong(`needs one of ${KIND_NAMES.join(', ')}`);
  }
  for (const other of others) fields[other]?.wrong(`cannot stand beside ${what}: give it its own entry`);
  for (const detail of DETAILS) {
    if (!KINDS[what].includes(detail)) fields[detail]?.wrong(`does not go with ${what}`);
  }
  const main = mainPart(what, value);
  if (main === undefined) return undefined;
  const pattern: Pattern = { what, ...main, ...details(fields) };
  const [withinMs, afterMs] = [fields.within?.duration(), fields.after?.duration()];
  return {
    pattern,
    place: node.place,
    ...(withinMs === undefined ? {} : { withinMs }),
    ...(afterMs === undefined ? {} : { afterMs }),
  };
}

function mainPart(what: PatternKind, value: CheckedNode): Pick<Pattern, 'subject' | 'status'> | undefined {
  if (what === 'deleted') return value.word(['true']) === undefined ? undefined : { subject: '' };
  if (what === 'phase') {
    const phase = value.word(PHASES);
    return phase === undefined ? undefined : { subject: phase };
  }
  const text = value.text();
  if (text === undefined || what !== 'condition') return text === undefined ? undefined : { subject: text };
  const [type = '', status = 'True', ...rest] = text.split('=');
  if (type !== '' && rest.length === 0 && STATUSES.includes(status)) return { subject: type, status };
  return value.wrong(`${JSON.stringify(text)} is no condition, write for example Ready or Ready=False`);
}

function details({ run, code, reason, message }: PatternFields): Partial<Pattern> {
  const number = run?.range();
  const range = code?.range(CODES);
  const [why, part] = [reason?.text(), message?.text()];
  return {
    ...(number === undefined ? {} : { run: number.min }),
    ...(range === undefined ? {} : { code: range }),
    ...(why === undefined ? {} : { reason: why }),
    ...(part === undefined ? {} : { message: part }),
  };
}
