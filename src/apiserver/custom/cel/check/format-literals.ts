import type { ASTNode } from '@marcbachmann/cel-js';
import { placeOf, type Mistake } from './messages.ts';
import type { CelType } from './types.ts';

/** The kinds of values that a clause of a format takes, and the mistake of another one. */
interface Clause {
  readonly kinds: ReadonlySet<CelType['kind']>;
  readonly mistake: string;
}

const clause = (kinds: readonly CelType['kind'][], mistake: string): Clause => ({ kinds: new Set(kinds), mistake });
const HEX = clause(
  ['int', 'uint', 'string', 'bytes'],
  'only integers, byte buffers, and strings can be formatted as hex',
);

const TEXT_TYPES = 'strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps';

/** Source: cel-go, ext/formatting.go. */
const CLAUSES: ReadonlyMap<string, Clause> = new Map([
  [
    's',
    clause(
      'list map int uint double bool string timestamp bytes duration type null'.split(' ') as CelType['kind'][],
      `string clause can only be used on ${TEXT_TYPES}`,
    ),
  ],
  ['d', clause(['int', 'uint'], 'decimal clause can only be used on integers')],
  ['f', clause(['double', 'string'], 'fixed-point clause can only be used on doubles')],
  ['e', clause(['double', 'string'], 'scientific clause can only be used on doubles')],
  ['b', clause(['int', 'uint', 'bool'], 'only integers and bools can be formatted as binary')],
  ['x', HEX],
  ['X', HEX],
  ['o', clause(['int', 'uint'], 'octal clause can only be used on integers')],
]);

/** The names of types while an expression runs, where they differ from the ones of its check. */
const RUNTIME_NAMES: Readonly<Record<string, string>> = {
  list: 'list',
  map: 'map',
  null: 'null_type',
  optional: 'optional_type',
  timestamp: 'google.protobuf.Timestamp',
  duration: 'google.protobuf.Duration',
};

type FormatCall = ASTNode & { readonly op: 'rcall' };
type TypeOf = (node: ASTNode) => CelType;

/** The mistake of `'%d'.format([…])`, where the text and the list are literals. */
export function formatMistake(node: FormatCall, typeOf: TypeOf): Mistake[] {
  const [, text, [list]] = node.args;
  if (text.op !== 'value' || typeof text.args !== 'string' || list?.op !== 'list') return [];
  const at = placeOf(node);
  const parts = [...text.args.matchAll(/%(?:%|(?:\.(\d*))?(.)?)/gsu)].filter(([whole]) => whole !== '%%');
  for (const [index, [, precision, letter]] of parts.entries()) {
    const wrong = clauseMistake(precision, letter, index < list.args.length ? undefined : index);
    const [part, taken] = [list.args[index], CLAUSES.get(letter ?? '')];
    if (wrong !== undefined || part === undefined || taken === undefined) return [{ at, text: wrong ?? '' }];
    const bad = badPart(part, taken, letter === 's', typeOf);
    if (bad !== undefined) return [bad];
  }
  const extra = list.args.length > parts.length;
  const counts = `(expected ${parts.length}, got ${list.args.length})`;
  return extra ? [{ at, text: `too many arguments supplied to string.format ${counts}` }] : [];
}

/** @param missing the number of the value that the list lacks */
function clauseMistake(
  precision: string | undefined,
  letter: string | undefined,
  missing: number | undefined,
): string | undefined {
  const parse = 'could not parse formatting clause: ';
  if (precision === undefined && letter === undefined) return 'unexpected end of string';
  if (missing !== undefined) return `index ${missing} out of range`;
  if (letter === undefined) return `${parse}error while parsing precision: could not find end of precision specifier`;
  if (precision === '') {
    const why = 'strconv.Atoi: parsing "": invalid syntax';
    return `${parse}error while parsing precision: error while converting precision to integer: ${why}`;
  }
  return CLAUSES.has(letter) ? undefined : `${parse}unrecognized formatting clause "${letter}"`;
}

/** The first value that the clause does not take: of a text, also within lists and maps. */
function badPart(node: ASTNode, { kinds, mistake }: Clause, isDeep: boolean, typeOf: TypeOf): Mistake | undefined {
  const { kind, name } = typeOf(node);
  if (kind !== 'dyn' && !kinds.has(kind)) {
    const given = RUNTIME_NAMES[kind] ?? name;
    return { at: placeOf(node), text: `error during formatting: ${mistake}, was given ${given}` };
  }
  const inner = node.op === 'list' ? node.args : node.op === 'map' ? node.args.flat() : [];
  if (!isDeep) return undefined;
  for (const part of inner) {
    const bad = badPart(part, { kinds, mistake }, true, typeOf);
    if (bad !== undefined) return bad;
  }
  return undefined;
}
