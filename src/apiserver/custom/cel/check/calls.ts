import type { ASTNode } from '@marcbachmann/cel-js';
import type { Estimate, CelVariables, Visitor } from './estimate.ts';
import { callCost, joinedSize, type Sized } from './costs.ts';
import { signaturesOf, type CelSignature } from './signatures.ts';
import { DYN, fits, innerOf, listType, sizeOf, STRING, substituted, type TypeBinding, type CelType } from './types.ts';

type Call = ASTNode & { readonly op: 'call' | 'rcall' };

/** A call of a function. */
export function callEstimate(visitor: Visitor, node: Call, scope: CelVariables): Estimate {
  const { name, parts, hasReceiver } = namedCall(node, scope);
  const args = parts.map((part) => visitor.visit(part, scope));
  const types = args.map(({ type }) => type);
  const before = args.reduce((sum, { cost }) => sum + cost, 0);
  const all = signaturesOf(name);
  if (all.length === 0) {
    return visitor.fail(node, `undeclared reference to '${name}' (in container '')`, before);
  }
  const results = all.flatMap((signature) => resultOf(signature, types, hasReceiver) ?? []);
  const [first, ...more] = results;
  if (first === undefined) {
    return visitor.fail(
      node,
      `found no matching overload for '${name}' applied to '${signatureOf(types, hasReceiver)}'`,
      before,
    );
  }
  const type = more.every((one) => one.name === first.name) ? first : DYN;
  return { type: sizedResult(name, type, types), cost: before + callCost(name, types.map(sizedOf)) };
}

/** `sets.contains(a, b)` has a name of two parts; `a.contains(b)` has a receiver. */
function namedCall(node: Call, scope: CelVariables): { name: string; parts: readonly ASTNode[]; hasReceiver: boolean } {
  if (node.op === 'call') return { name: node.args[0], parts: node.args[1], hasReceiver: false };
  const [method, receiver, args] = node.args;
  const name = receiver.op === 'id' && !scope.has(receiver.args) ? `${receiver.args}.${method}` : '';
  if (signaturesOf(name).length > 0) return { name, parts: args, hasReceiver: false };
  return { name: method, parts: [receiver, ...args], hasReceiver: true };
}

function resultOf(signature: CelSignature, types: readonly CelType[], hasReceiver: boolean): CelType | undefined {
  if (signature.hasReceiver !== hasReceiver || signature.args.length !== types.length) return undefined;
  const bound: TypeBinding = new Map();
  const isTaken = signature.args.every((wanted, index) => fits(wanted, types[index] ?? DYN, bound));
  return isTaken ? substituted(signature.result, bound) : undefined;
}

function signatureOf(types: readonly CelType[], hasReceiver: boolean): string {
  const names = types.map(({ name }) => name);
  const [target, ...rest] = names;
  return hasReceiver ? `${target}.(${rest.join(', ')})` : `(${names.join(', ')})`;
}

/** A type as costs see it. */
function sizedOf(type: CelType): Sized {
  const isList = type.kind === 'list';
  const item = isList ? innerOf(type) : undefined;
  const hasTexts = item !== undefined && ['string', 'bytes', 'dyn'].includes(item.kind);
  return { size: sizeOf(type), isList, itemSize: hasTexts ? sizeOf(item) : undefined };
}

/** Functions whose result is no larger than what they are called on. */
const AS_LARGE = new Set([
  'lowerAscii',
  'upperAscii',
  'substring',
  'trim',
  'find',
  'slice',
  'reverse',
  'distinct',
  'sort',
]);

/** The result with its size, where that is known. Source: apiserver/pkg/cel/library/cost.go. */
function sizedResult(
  name: string,
  type: CelType,
  [target = DYN, other = DYN, third = DYN]: readonly CelType[],
): CelType {
  const size = sizeOf(target);
  if (name === 'dyn') return { ...DYN, size };
  if (AS_LARGE.has(name)) return { ...type, size };
  switch (name) {
    case 'split':
    case 'findAll':
      return listType(STRING, { size });
    case 'join':
      return { ...type, size: joinedSize(sizedOf(target), sizedOf(other)) };
    case 'replace':
      return { ...type, size: replacedSize(size, other, sizeOf(third)) };
    case 'bytes':
      return { ...type, size: 4 * size };
    case 'strings.quote':
      return { ...type, size: 2 * size + 2 };
    case 'string':
      return target.kind === 'string' || target.kind === 'bytes' ? { ...type, size } : type;
    default:
      return type;
  }
}

/** The longest text: the shortest parts are replaced by the longest. */
function replacedSize(size: number, { leastSize = 0 }: CelType, by: number): number {
  if (leastSize === 0) return (size + 1) * by + size;
  return by <= leastSize ? size : Math.ceil(size / leastSize) * by;
}
