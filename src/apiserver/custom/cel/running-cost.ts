import type { ParseResult } from '@marcbachmann/cel-js';
import { callCost, comparisonCost, concatenationCost, LIST_COST, MAP_COST, TURN_COSTS } from './check/costs.ts';
import { isNamespaced } from './check/signatures.ts';
import { sizedValue, sizeOfValue, weightOf } from './measure.ts';
import { givenName } from './own-parts.ts';

/**
 * Counts what an evaluation costs, while it runs: the package calls `evaluate` of each part of an expression and
 * `handle` with the values of the arguments, and both are replaced here by functions that count first.
 * Source of the costs: cel-go, interpreter/runtimecost.go.
 */

/** The most that one evaluation may cost. Source: apiserver/pkg/apis/cel/config.go. */
const CALL_COST_MAX = 1_000_000;

/** The error of an evaluation that cost too much. Made once: it is thrown through each loop of an expression. */
export const COST_EXCESS: Error = new Error('operation cancelled: actual cost limit exceeded');

let spent = 0;

function charge(cost: number): void {
  spent += cost;
  if (spent > CALL_COST_MAX) throw COST_EXCESS;
}

/** The result of an evaluation, with its cost. */
export interface Evaluation {
  /** Undefined: it failed. CEL has no such value. */
  readonly value: unknown;
  readonly error?: unknown;
  readonly cost: number;
}

/** Evaluates an expression whose costs are counted. A value in `context` may be the result of another evaluation. */
export function evaluate(run: ParseResult, context: Readonly<Record<string, unknown>>): Evaluation {
  const outside = spent;
  const { stackTraceLimit } = Error;
  spent = 0;
  // A loop catches an error for each item that fails. Their stacks are not read, and would take most of its time.
  Error.stackTraceLimit = 0;
  try {
    const value: unknown = run(context);
    // A condition may have taken the error for an error of one of its sides.
    return spent > CALL_COST_MAX ? { value: undefined, error: COST_EXCESS, cost: spent } : { value, cost: spent };
  } catch (error) {
    return { value: undefined, error: asInGo(error), cost: spent };
  } finally {
    spent = outside;
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** The error in the words of cel-go, which the API server shows. Source: cel-go, interpreter/attributes.go. */
function asInGo(error: unknown): unknown {
  const [, key] = (error instanceof Error ? /^No such key: (.*)/.exec(error.message) : null) ?? [];
  const [, index] = /^index out of bounds, index (-?\d+) /.exec(key ?? '') ?? [];
  if (index !== undefined) return new Error(`index out of bounds: ${index}`);
  return key === undefined ? error : new Error(`no such key: ${key}`);
}

/** A part of an expression as the package has it. */
interface CelPart {
  readonly op: string;
  readonly args: unknown;
  readonly meta: {
    readonly alternate?: CelPart;
    readonly macro?: { readonly evaluate: Evaluate } & Readonly<Record<string, unknown>>;
    readonly evaluate: Evaluate;
  };
  evaluate: Evaluate;
  handle?: (...args: unknown[]) => unknown;
}

type Evaluate = (evaluator: unknown, part: unknown, context: unknown) => unknown;

/** A loop as the package has it: `all`, `exists`, `map`, … */
interface Loop {
  readonly iterable: CelPart;
  readonly init: CelPart;
  readonly step: CelPart;
  condition?: (value: unknown) => boolean;
}

/** Lets an expression count its costs. Its types are checked before. */
export function countCosts({ ast }: ParseResult): void {
  visit(ast, new Set());
}

function visit(value: unknown, seen: Set<unknown>): void {
  if (Array.isArray(value)) {
    for (const part of value as readonly unknown[]) visit(part, seen);
    return;
  }
  if (!isPart(value) || seen.has(value)) return;
  seen.add(value);
  const { alternate, macro } = value.meta;
  if (alternate !== undefined) {
    visit(alternate, seen);
    return;
  }
  if (macro !== undefined) {
    for (const part of Object.values(macro)) visit(part, seen);
    before(value, macroCost(value), (evaluator, context) => macro.evaluate(evaluator, macro, context));
    return;
  }
  if (value.op === 'comprehension') visitLoop(value.args as Loop, seen);
  else visit(value.args, seen);
  const cost = fixedCost(value);
  if (cost > 0) before(value, cost, (evaluator, context) => value.meta.evaluate(evaluator, value, context));
  else countArguments(value);
}

function isPart(value: unknown): value is CelPart {
  return typeof value === 'object' && value !== null && 'op' in value && 'meta' in value;
}

/** Lets a part cost something each time. */
function before(part: CelPart, cost: number, evaluated: (evaluator: unknown, context: unknown) => unknown): void {
  part.evaluate = (evaluator, _, context) => {
    charge(cost);
    return evaluated(evaluator, context);
  };
}

function macroCost({ args }: CelPart): number {
  const [name] = args as readonly unknown[];
  return name === 'bind' ? 1 : 0;
}

/** The cost of a part that does not depend on values. */
function fixedCost({ op, args }: CelPart): number {
  switch (op) {
    case 'id':
    case '.':
    case '.?':
    case '[]':
    case '[?]':
    case '!_':
      return 1;
    case '-_':
      return isConstant(args) ? 0 : 1;
    // The list of `map` and `filter` is a new one each time; constant lists are made once.
    case 'list':
      return isConstant(args) ? 0 : LIST_COST;
    case 'map':
      return isConstant(args) ? 0 : MAP_COST;
    case 'accuPush':
      return TURN_COSTS['map'] ?? 0;
    case 'accuInc':
      return TURN_COSTS['exists_one'] ?? 0;
    case 'comprehension':
      return 1;
    default:
      return 0;
  }
}

function isConstant(args: unknown): boolean {
  if (Array.isArray(args)) return args.every(isConstant);
  return isPart(args) && (args.op === 'value' || (['list', 'map', '-_'].includes(args.op) && isConstant(args.args)));
}

/** A quantifier asks its condition before each turn: there the loop can end. */
function visitLoop(loop: Loop, seen: Set<unknown>): void {
  for (const part of [loop.iterable, loop.init, loop.step]) visit(part, seen);
  const { condition, init } = loop;
  if (condition === undefined) return;
  const turn = TURN_COSTS[init.args === true ? 'all' : 'exists'] ?? 0;
  loop.condition = (value) => {
    charge(turn);
    return condition(value);
  };
}

const OPERATORS = new Set(['==', '!=', '<', '<=', '>', '>=', 'in', '+', '-', '*', '/', '%']);

/** Lets an operator or a function cost what its arguments say. */
function countArguments(part: CelPart): void {
  const { handle, op, args } = part;
  if (handle === undefined) return;
  if (op === 'call' || op === 'rcall') {
    const { name, skipped } = nameOf(op, args);
    part.handle = (values, ...more) => {
      charge(workOf(name, (values as readonly unknown[]).slice(skipped)));
      return handle(values, ...more);
    };
    return;
  }
  if (!OPERATORS.has(op)) return;
  part.handle = (one, other, ...more) => {
    charge(operatorCost(op, one, other));
    return handle(one, other, ...more);
  };
}

function nameOf(op: string, args: unknown): { readonly name: string; readonly skipped: number } {
  const [given, receiver] = args as readonly [string, unknown];
  const name = givenName(given);
  if (op === 'rcall' && isPart(receiver) && receiver.op === 'id') {
    const full = `${String(receiver.args)}.${name}`;
    if (isNamespaced(full)) return { name: full, skipped: 1 };
  }
  return { name, skipped: 0 };
}

/** Patterns take longer here than in Go. */
const FACTORS: Readonly<Record<string, number>> = { matches: 4, find: 4, findAll: 20 };
/** Functions that go through all of a value here, though CEL counts one for them. */
const THOROUGH = new Set(['asMap', 'charAt', 'format', 'keysOf', 'merged', 'size', 'sortedByFirst', 'string']);
const PER_PART = 0.01;
/** For lists and objects that are written or compared item by item. */
const PER_ITEM = 0.1;

function workOf(name: string, values: readonly unknown[]): number {
  const cost = callCost(name, values.map(sizedValue)) * (FACTORS[name] ?? 1);
  const isShort = !THOROUGH.has(name) || (name === 'size' && Array.isArray(values[0]));
  if (isShort) return cost;
  return cost + Math.floor(PER_PART * values.reduce<number>((sum, value) => sum + weightOf(value), 0));
}

function operatorCost(op: string, one: unknown, other: unknown): number {
  switch (op) {
    case '==':
    case '!=':
      return Math.max(
        comparisonCost(sizeOfValue(one), sizeOfValue(other)),
        Math.floor(PER_ITEM * Math.min(weightOf(one), weightOf(other))),
      );
    case 'in':
      return Array.isArray(other) ? other.length + Math.floor(PER_ITEM * weightOf(one)) : 1;
    case '+':
      if (Array.isArray(one)) return 1 + Math.floor(PER_ITEM * (one.length + sizeOfValue(other)));
      return typeof one === 'string' ? concatenationCost(one.length, sizeOfValue(other)) : 1;
    default:
      return typeof one === 'string' ? Math.max(1, comparisonCost(one.length, sizeOfValue(other))) : 1;
  }
}
