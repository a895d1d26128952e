import { ownValue } from '../../../../api/index.ts';
import type { ASTNode } from '@marcbachmann/cel-js';
import type { Estimate, CelVariables, Visitor } from './estimate.ts';
import { START_COSTS, times, TURN_COSTS } from './costs.ts';
import {
  BOOL,
  DYN,
  fits,
  innerOf,
  INT,
  listType,
  mapType,
  optionalType,
  sizeOf,
  valueOf,
  type CelType,
} from './types.ts';

type Call = ASTNode & { readonly op: 'call' | 'rcall' };

/** The macros that turn over a list or a map: the number of variables for each number of arguments. */
const LOOPS: Readonly<Record<string, Readonly<Record<number, 1 | 2>>>> = {
  all: { 2: 1, 3: 2 },
  exists: { 2: 1, 3: 2 },
  exists_one: { 2: 1 },
  existsOne: { 2: 1, 3: 2 },
  map: { 2: 1, 3: 1 },
  filter: { 2: 1 },
  sortBy: { 2: 1 },
  transformList: { 3: 2, 4: 2 },
  transformMap: { 3: 2, 4: 2 },
  transformMapEntry: { 3: 2, 4: 2 },
};
/** The macros whose only expression is a condition. */
const TESTS: ReadonlySet<string> = new Set(['all', 'exists', 'exists_one', 'existsOne', 'filter']);

/** Type and cost of a macro. Undefined: the call is none. Source: cel-go, parser/macro.go and ext. */
export function macroEstimate(visitor: Visitor, node: Call, scope: CelVariables): Estimate | undefined {
  if (node.op === 'call') return node.args[0] === 'has' ? hasEstimate(visitor, node, scope) : undefined;
  const [name, receiver, args] = node.args;
  if (receiver.op === 'id' && receiver.args === 'cel' && name === 'bind' && args.length === 3) {
    return bindEstimate(visitor, args as [ASTNode, ASTNode, ASTNode], scope);
  }
  if ((name === 'optMap' || name === 'optFlatMap') && args.length === 2) {
    return optionalEstimate(visitor, node, scope);
  }
  const variables = ownValue(LOOPS, name)?.[args.length];
  return variables === undefined ? undefined : loopEstimate(visitor, node, { scope, name, variables });
}

/** The test of a field is free. A mistake in its name is at the call, where cel-go puts the test. */
function hasEstimate(visitor: Visitor, node: Call & { readonly op: 'call' }, scope: CelVariables): Estimate {
  const [field] = node.args[1];
  if (field?.op !== '.') {
    if (field !== undefined) visitor.fail(field, 'invalid argument to has() macro');
    return { type: BOOL, cost: 0 };
  }
  const [of, name] = field.args;
  const { type, cost } = visitor.visit(of, scope);
  visitor.fieldOf(node, type, name);
  return { type: BOOL, cost };
}

function nameOf(node: ASTNode): string {
  return node.op === 'id' ? node.args : '';
}

function bindEstimate(
  visitor: Visitor,
  [name, value, inner]: [ASTNode, ASTNode, ASTNode],
  scope: CelVariables,
): Estimate {
  const bound = visitor.visit(value, scope);
  const { type, cost } = visitor.visit(inner, new Map([...scope, [nameOf(name), bound.type]]));
  return { type, cost: (START_COSTS['bind'] ?? 0) + bound.cost + cost };
}

/** `a.optMap(v, f(v))` looks at its receiver twice. */
function optionalEstimate(visitor: Visitor, node: Call & { readonly op: 'rcall' }, scope: CelVariables): Estimate {
  const [name, receiver, [variable, made]] = node.args as [string, ASTNode, [ASTNode, ASTNode]];
  const target = visitor.visit(receiver, scope);
  const value = target.type.kind === 'optional' ? innerOf(target.type) : DYN;
  const { type, cost } = visitor.visit(made, new Map([...scope, [nameOf(variable), value]]));
  const once = target.cost + 1;
  return {
    type: name === 'optMap' ? optionalType(type) : type,
    cost: 2 * once + 1 + (START_COSTS['bind'] ?? 0) + cost,
  };
}

interface Loop {
  readonly scope: CelVariables;
  readonly name: string;
  readonly variables: 1 | 2;
}

function loopEstimate(
  visitor: Visitor,
  node: Call & { readonly op: 'rcall' },
  { scope, name, variables }: Loop,
): Estimate {
  const [, receiver, args] = node.args;
  const range = visitor.visit(receiver, scope);
  const entry = entryOf(range.type);
  if (entry === undefined) {
    const why = 'cannot be range of a comprehension (must be list, map, or dynamic)';
    visitor.fail(receiver, `expression of type '${range.type.name}' ${why}`);
  }
  const [key, value] = entry ?? [DYN, DYN];
  const [first = '', second = ''] = args.slice(0, variables).map(nameOf);
  const single = range.type.kind === 'map' ? key : value;
  const bound: [string, CelType][] =
    variables === 1
      ? [[first, single]]
      : [
          [first, key],
          [second, value],
        ];
  const inner = args.slice(variables).map((part) => visitor.visit(part, new Map([...scope, ...bound])));
  const made = inner.at(-1) ?? { type: DYN, cost: 0 };
  const conditions = TESTS.has(name) ? inner : inner.slice(0, -1);
  for (const { type } of conditions) {
    if (fits(BOOL, type, new Map())) continue;
    visitor.fail(node, `found no matching overload for '_?_:_' applied to '(${type.name}, bool, bool)'`);
  }
  const count = sizeOf(range.type);
  const turn = (TURN_COSTS[name] ?? 0) + inner.reduce((sum, { cost }) => sum + cost, 0);
  const cost = range.cost + (START_COSTS[name] ?? 0) + times(count, turn);
  return { type: resultOf(name, { key, single, made: made.type, count }), cost };
}

/** The types of the two variables. */
function entryOf(type: CelType): [CelType, CelType] | undefined {
  if (type.kind === 'list') return [{ ...INT, size: 1 }, innerOf(type)];
  if (type.kind === 'map') return [innerOf(type), valueOf(type)];
  return type.kind === 'dyn' ? [DYN, DYN] : undefined;
}

interface Made {
  readonly key: CelType;
  readonly single: CelType;
  readonly made: CelType;
  readonly count: number;
}

function resultOf(name: string, { key, single, made, count: size }: Made): CelType {
  switch (name) {
    case 'filter':
    case 'sortBy':
      return listType(single, { size });
    case 'map':
    case 'transformList':
      return listType(made, { size });
    case 'transformMap':
      return mapType(key, made, { size });
    case 'transformMapEntry':
      return mapType(innerOf(made), valueOf(made), { size });
    default:
      return BOOL;
  }
}
