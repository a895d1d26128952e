import type { ASTNode } from '@marcbachmann/cel-js';
import { callEstimate } from './calls.ts';
import { constructionEstimate } from './construction-estimate.ts';
import { LIST_COST, MAP_COST } from './costs.ts';
import type { Estimate, CelVariables, Visitor } from './estimate.ts';
import { macroEstimate } from './macro-estimates.ts';
import { placeOf, type Mistake } from './messages.ts';
import { binaryEstimate, unaryEstimate } from './operators.ts';
import { TYPE_NAMES } from './signatures.ts';
import {
  BOOL,
  BYTES,
  DOUBLE,
  DYN,
  fits,
  innerOf,
  INT,
  joinedType,
  listType,
  mapType,
  NULL,
  optionalType,
  STRING,
  TYPE,
  UINT,
  unsized,
  valueOf,
  type CelType,
} from './types.ts';

/** Types and costs of an expression. Source: cel-go, checker/checker.go and checker/cost.go. */
export class Checker implements Visitor {
  readonly mistakes: Mistake[] = [];
  /** The variables that the expression uses. */
  readonly names: Set<string> = new Set();
  /** The types of the parts of the expression. */
  readonly types: Map<ASTNode, CelType> = new Map();

  fail(node: ASTNode, text: string, cost = 0): Estimate {
    this.mistakes.push({ at: placeOf(node), text });
    return { type: DYN, cost };
  }

  visit(node: ASTNode, scope: CelVariables): Estimate {
    const estimate = this.#estimate(node, scope);
    this.types.set(node, estimate.type);
    return estimate;
  }

  #estimate(node: ASTNode, scope: CelVariables): Estimate {
    switch (node.op) {
      case 'value':
        return { type: literalType(node.args), cost: 0 };
      case 'id':
        return this.#name(node, node.args, scope);
      case '.':
      case '.?':
        return this.#select(node, scope);
      case '[]':
      case '[?]':
        return this.#index(node, scope);
      case 'list':
        return this.#list(node.args, scope);
      case 'map':
        return this.#map(node.args, scope);
      case 'call':
      case 'rcall':
        return (
          macroEstimate(this, node, scope) ?? constructionEstimate(this, node, scope) ?? callEstimate(this, node, scope)
        );
      case '?:':
        return this.#choice(node, scope);
      case '!_':
      case '-_':
        return unaryEstimate(this, node, scope);
      case '&&':
      case '||':
      case '==':
      case '!=':
      case '<':
      case '<=':
      case '>':
      case '>=':
      case 'in':
      case '+':
      case '-':
      case '*':
      case '/':
      case '%':
      default:
        return binaryEstimate(this, node, scope);
    }
  }

  fieldOf(node: ASTNode, type: CelType, field: string): CelType {
    const { kind, name, fields, inner } = type.kind === 'optional' ? innerOf(type) : type;
    if (kind === 'map') return unsized(inner?.[1] ?? DYN);
    if (kind === 'dyn') return DYN;
    if (kind !== 'object' && fields === undefined) {
      return this.fail(node, `type '${name}' does not support field selection`).type;
    }
    return fields?.get(field) ?? fields?.get(`__${field}__`) ?? this.fail(node, `undefined field '${field}'`).type;
  }

  #name(node: ASTNode, name: string, scope: CelVariables): Estimate {
    const type = scope.get(name);
    if (type !== undefined) {
      this.names.add(name);
      return { type, cost: 1 };
    }
    if (TYPE_NAMES.has(name)) return { type: TYPE, cost: 1 };
    return this.fail(node, `undeclared reference to '${name}' (in container '')`);
  }

  #select(node: ASTNode & { readonly op: '.' | '.?' }, scope: CelVariables): Estimate {
    const [of, field] = node.args;
    const path = pathOf(node);
    if (path !== undefined && TYPE_NAMES.has(path)) return { type: TYPE, cost: 1 };
    const { type, cost } = this.visit(of, scope);
    const isOptional = node.op === '.?' || type.kind === 'optional';
    const target = type.kind === 'optional' ? innerOf(type) : type;
    const fieldType = this.fieldOf(node, target, field);
    const isFree = target.kind === 'dyn' && node.op === '.';
    return { type: isOptional ? optionalType(fieldType) : fieldType, cost: isFree ? cost : cost + 1 };
  }

  #index(node: ASTNode & { readonly op: '[]' | '[?]' }, scope: CelVariables): Estimate {
    const [of, by] = node.args;
    const [target, key] = [this.visit(of, scope), this.visit(by, scope)];
    const cost = target.cost + key.cost + 1;
    const isOptional = node.op === '[?]' || target.type.kind === 'optional';
    const within = target.type.kind === 'optional' ? innerOf(target.type) : target.type;
    const itemType = itemOf(within, key.type);
    if (itemType === undefined) {
      const name = node.op === '[?]' ? '_[?_]' : '_[_]';
      const args = `(${target.type.name}, ${key.type.name})`;
      return this.fail(node, `found no matching overload for '${name}' applied to '${args}'`, cost);
    }
    return { type: isOptional ? optionalType(itemType) : itemType, cost };
  }

  #list(items: readonly ASTNode[], scope: CelVariables): Estimate {
    const all = items.map((item) => this.visit(item, scope));
    const type = listType(widened(all), { size: items.length, leastSize: items.length });
    return { type, cost: LIST_COST + total(all) };
  }

  #map(entries: readonly (readonly [ASTNode, ASTNode])[], scope: CelVariables): Estimate {
    const all = entries.map(([key, value]) => [this.visit(key, scope), this.visit(value, scope)] as const);
    const [keys, values] = [all.map(([key]) => key), all.map(([, value]) => value)];
    const type = mapType(widened(keys), widened(values), { size: entries.length });
    return { type, cost: MAP_COST + total(all.flat()) };
  }

  #choice(node: ASTNode & { readonly op: '?:' }, scope: CelVariables): Estimate {
    const [condition, one, other] = node.args.map((part) => this.visit(part, scope)) as [Estimate, Estimate, Estimate];
    const cost = condition.cost + Math.max(one.cost, other.cost);
    const type = joinedType(one.type, other.type);
    if (type !== undefined && fits(BOOL, condition.type, new Map())) return { type, cost };
    const args = `(${condition.type.name}, ${one.type.name}, ${other.type.name})`;
    return this.fail(node, `found no matching overload for '_?_:_' applied to '${args}'`, cost);
  }
}

function total(all: readonly Estimate[]): number {
  return all.reduce((sum, { cost }) => sum + cost, 0);
}

/** The type of all of them: lists and maps may have values of several types. */
function widened(all: readonly Estimate[]): CelType {
  const [first = DYN, ...more] = all.map(({ type }) => type);
  return more.reduce((one, other) => joinedType(one, other) ?? DYN, first);
}

function itemOf(type: CelType, key: CelType): CelType | undefined {
  if (type.kind === 'dyn') return DYN;
  if (type.kind === 'list') return fits(INT, key, new Map()) ? innerOf(type) : undefined;
  if (type.kind !== 'map') return undefined;
  return fits(innerOf(type), key, new Map()) ? valueOf(type) : undefined;
}

/** The names of a chain of dots: `google.protobuf.Duration`. */
function pathOf(node: ASTNode): string | undefined {
  if (node.op === 'id') return node.args;
  const before = node.op === '.' ? pathOf(node.args[0]) : undefined;
  return before === undefined ? undefined : `${before}.${(node.args as [ASTNode, string])[1]}`;
}

function literalType(value: unknown): CelType {
  const sized = (type: CelType, size: number): CelType => ({ ...type, size, leastSize: size });
  if (typeof value === 'string') return sized(STRING, Array.from(value).length);
  if (typeof value === 'bigint') return sized(INT, 1);
  if (typeof value === 'number') return sized(DOUBLE, 1);
  if (typeof value === 'boolean') return sized(BOOL, 1);
  if (value === null) return sized(NULL, 1);
  return value instanceof Uint8Array ? sized(BYTES, value.length) : sized(UINT, 1);
}
