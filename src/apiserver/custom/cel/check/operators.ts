import type { ASTNode } from '@marcbachmann/cel-js';
import type { Estimate, CelVariables, Visitor } from './estimate.ts';
import { comparisonCost, concatenationCost } from './costs.ts';
import {
  BOOL,
  DOUBLE,
  DURATION,
  DYN,
  fits,
  innerOf,
  INT,
  joinedType,
  sizeOf,
  TIMESTAMP,
  UINT,
  type CelType,
} from './types.ts';

type Both = readonly [CelType, CelType];

const NUMBERS = [INT, UINT, DOUBLE];
const same = (type: CelType): [CelType, CelType, CelType] => [type, type, type];

/** The types that an operator takes, and the type of its result. Source: cel-spec, doc/langdef.md. */
const ARITHMETIC: Readonly<Record<string, readonly (readonly [CelType, CelType, CelType])[]>> = {
  '+': [...NUMBERS.map(same), same(DURATION), [TIMESTAMP, DURATION, TIMESTAMP], [DURATION, TIMESTAMP, TIMESTAMP]],
  '-': [...NUMBERS.map(same), same(DURATION), [TIMESTAMP, TIMESTAMP, DURATION], [TIMESTAMP, DURATION, TIMESTAMP]],
  '*': NUMBERS.map(same),
  '/': NUMBERS.map(same),
  '%': [same(INT), same(UINT)],
};

const ORDERED = new Set(['bool', 'bytes', 'double', 'duration', 'int', 'string', 'timestamp', 'uint']);
const isNumber = ({ kind }: CelType): boolean => NUMBERS.some((type) => type.kind === kind);
const isAny = ({ kind }: CelType): boolean => kind === 'dyn' || kind === 'param';
const mayBe = (type: CelType, kind: CelType['kind']): boolean => type.kind === kind || isAny(type);

/** An operator between two parts. */
export function binaryEstimate(
  visitor: Visitor,
  node: ASTNode & { readonly args: readonly [ASTNode, ASTNode] },
  scope: CelVariables,
): Estimate {
  const [one, other] = node.args.map((part) => visitor.visit(part, scope)) as [Estimate, Estimate];
  const types: Both = [one.type, other.type];
  const before = one.cost + other.cost;
  const result = resultOf(node.op, types);
  if (result !== undefined) return { type: result.type, cost: before + result.cost };
  const name = node.op === 'in' ? '@in' : `_${node.op}_`;
  const args = `(${one.type.name}, ${other.type.name})`;
  return visitor.fail(node, `found no matching overload for '${name}' applied to '${args}'`, before);
}

function resultOf(op: string, [one, other]: Both): Estimate | undefined {
  const [a, b] = [sizeOf(one), sizeOf(other)];
  switch (op) {
    case '&&':
    case '||':
      return [one, other].every((type) => fits(BOOL, type, new Map())) ? { type: BOOL, cost: 0 } : undefined;
    case '==':
    case '!=':
      return joinedType(one, other) === undefined ? undefined : { type: BOOL, cost: comparisonCost(a, b) };
    case 'in':
      return membership(one, other);
    case '<':
    case '<=':
    case '>':
    case '>=':
      return isOrdered(one, other) ? { type: BOOL, cost: orderCost([one, other]) } : undefined;
    default:
      return op === '+' ? (joined(one, other) ?? arithmetic(op, [one, other])) : arithmetic(op, [one, other]);
  }
}

function membership(one: CelType, other: CelType): Estimate | undefined {
  if (isAny(other)) return { type: BOOL, cost: sizeOf(other) };
  const isList = other.kind === 'list';
  if (!isList && other.kind !== 'map') return undefined;
  if (joinedType(innerOf(other), one) === undefined) return undefined;
  return { type: BOOL, cost: isList ? sizeOf(other) : 1 };
}

/** Numbers of several types can be compared. */
function isOrdered(one: CelType, other: CelType): boolean {
  if (isAny(one) || isAny(other)) return [one, other].every((type) => isAny(type) || ORDERED.has(type.kind));
  return (one.kind === other.kind && ORDERED.has(one.kind)) || (isNumber(one) && isNumber(other));
}

function orderCost(types: Both): number {
  const isText = (['string', 'bytes'] as const).some((kind) => types.every((type) => mayBe(type, kind)));
  return isText ? Math.max(1, comparisonCost(sizeOf(types[0]), sizeOf(types[1]))) : 1;
}

/** Texts and lists that are written one behind another. */
function joined(one: CelType, other: CelType): Estimate | undefined {
  const [a, b] = [sizeOf(one), sizeOf(other)];
  if (one.kind === 'list' && other.kind === 'list') {
    const type = joinedType(one, other);
    return type && { type: { ...type, size: a + b }, cost: 1 };
  }
  const isText = (['string', 'bytes'] as const).some((kind) => [one, other].every((type) => mayBe(type, kind)));
  if (!isText) return undefined;
  const known = isAny(one) ? other : one;
  const isKnown = !isAny(one) && !isAny(other);
  return { type: { ...(isKnown ? known : DYN), size: a + b, leastSize: 0 }, cost: concatenationCost(a, b) };
}

function arithmetic(op: string, [one, other]: Both): Estimate | undefined {
  const candidates = (ARITHMETIC[op] ?? []).filter(
    ([left, right]) => fits(left, one, new Map()) && fits(right, other, new Map()),
  );
  const [first, ...more] = candidates.map(([, , result]) => result);
  // A list and a value of any type may be two lists.
  if (first === undefined) {
    return op === '+' && [one, other].some(({ kind }) => kind === 'list') && [one, other].some(isAny)
      ? { type: DYN, cost: 1 }
      : undefined;
  }
  return { type: more.every(({ kind }) => kind === first.kind) ? first : DYN, cost: 1 };
}

const UNARY: Readonly<Record<string, readonly CelType[]>> = { '!_': [BOOL], '-_': [INT, DOUBLE] };

/** An operator before a part. */
export function unaryEstimate(
  visitor: Visitor,
  node: ASTNode & { readonly op: '!_' | '-_' },
  scope: CelVariables,
): Estimate {
  const { type, cost } = visitor.visit(node.args, scope);
  // A number with a minus is one literal.
  if (node.op === '-_' && node.args.op === 'value' && isNumber(type)) return { type, cost };
  const taken = (UNARY[node.op] ?? []).find((one) => fits(one, type, new Map()));
  if (taken !== undefined) return { type: isAny(type) && node.op === '-_' ? DYN : taken, cost: cost + 1 };
  const name = node.op === '!_' ? '!_' : '-_';
  return visitor.fail(node, `found no matching overload for '${name}' applied to '(${type.name})'`, cost);
}
