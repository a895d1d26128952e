import type { ASTNode } from '@marcbachmann/cel-js';
import { isPattern } from '../../base/patterns.ts';
import { isDurationText } from '../../base/durations.ts';
import { formatMistake } from './format-literals.ts';
import { placeOf, type Mistake } from './messages.ts';
import { DYN, type CelType } from './types.ts';

/** An RFC 3339 time. Source: cel-go, common/types/string.go. */
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;

/** The functions whose literal argument is looked at, by name. Source: cel-go, cel/validator.go. */
const ARGUMENTS: ReadonlyMap<string, (text: string) => boolean> = new Map([
  ['duration', isDurationText],
  ['timestamp', (text: string) => TIME.test(text) && !Number.isNaN(Date.parse(text))],
  ['matches', isPattern],
]);

/** Scalars, whose types are what they seem. */
const SCALARS: ReadonlySet<string> = new Set(
  'bool bytes double duration int list map null string timestamp uint'.split(' '),
);

/**
 * The mistakes of literals in an expression whose types are right: what would fail whatever the values of variables.
 * Source: apiserver/pkg/cel/environment/base.go.
 */
export function literalMistakes(root: ASTNode, types: ReadonlyMap<ASTNode, CelType>): Mistake[] {
  const typeOf = (node: ASTNode): CelType => types.get(node) ?? DYN;
  const mistakesAt = (node: ASTNode, isFormatted: boolean): Mistake[] => {
    const isFormat = node.op === 'rcall' && node.args[0] === 'format';
    const isWithin = isFormat || (isFormatted && (node.op === 'list' || node.op === 'map'));
    return [
      ...argumentMistakes(node),
      ...(isFormat ? formatMistake(node, typeOf) : []),
      ...(isFormatted ? [] : mixedMistakes(node, typeOf)),
      ...partsOf(node).flatMap((part) => mistakesAt(part, isWithin)),
    ];
  };
  return mistakesAt(root, false);
}

function partsOf({ args }: ASTNode): ASTNode[] {
  const all = [args].flat(3) as readonly unknown[];
  return all.filter((part): part is ASTNode => typeof part === 'object' && part !== null && 'op' in part);
}

function argumentMistakes(node: ASTNode): Mistake[] {
  if (node.op !== 'call' && node.op !== 'rcall') return [];
  const [name] = node.args;
  const [literal] = node.op === 'call' ? node.args[1] : node.args[2];
  const isRight = ARGUMENTS.get(name);
  if (isRight === undefined || literal?.op !== 'value' || typeof literal.args !== 'string') return [];
  return isRight(literal.args) ? [] : [{ at: placeOf(literal), text: `invalid ${name} argument` }];
}

/** Lists and maps with values of several types, except in a format. */
function mixedMistakes(node: ASTNode, typeOf: (node: ASTNode) => CelType): Mistake[] {
  if (node.op === 'list') return mixedAmong(node.args, typeOf).slice(0, 1);
  if (node.op !== 'map') return [];
  const [keys, values] = [node.args.map(([key]) => key), node.args.map(([, value]) => value)];
  return [...mixedAmong(keys, typeOf), ...mixedAmong(values, typeOf)];
}

function mixedAmong([first, ...more]: readonly ASTNode[], typeOf: (node: ASTNode) => CelType): Mistake[] {
  if (first === undefined) return [];
  const wanted = typeOf(first);
  return more.flatMap((node) => {
    const type = typeOf(node);
    const isKnown = SCALARS.has(wanted.kind) && SCALARS.has(type.kind);
    if (!isKnown || type.kind === wanted.kind) return [];
    return [{ at: placeOf(node), text: `expected type '${wanted.name}' but found '${type.name}'` }];
  });
}
