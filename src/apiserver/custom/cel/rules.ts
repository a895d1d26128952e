import { Optional } from '@marcbachmann/cel-js';
import { duplicate, type FieldError, forbidden, invalid, required } from '../../../manifest/index.ts';
import { errorMessage, isJsonObject, ownValue } from '../../../api/index.ts';
import { childPath, fieldSchema, type SchemaProps, type ValidationRule } from '../base/schema.ts';
import { CelValues } from './cel-values.ts';
import { ruleProgram } from './rule-programs.ts';
import { COST_EXCESS, evaluate } from './running-cost.ts';

/** The most that all rules may cost for one object. Source: apiserver/pkg/apis/cel/config.go. */
const OBJECT_COST_MAX = 10_000_000;
/** The longest message that an expression may make. Source: the same. */
const MESSAGE_BYTES_MAX = 5 * 1024;

/** Values of an object, before and after a change. */
export interface RuleSubject {
  readonly value: unknown;
  /** Undefined: the value is new, or belongs to nothing before the change. */
  readonly before: unknown;
}

/** Evaluates the rules of a schema. Source: apiextensions, pkg/apiserver/schema/cel/validation.go. */
export function checkRules(schema: SchemaProps, subject: RuleSubject, at: string): FieldError[] {
  const check = new RuleCheck();
  check.visit(schema, subject, at);
  return check.errors;
}

const NO_BUDGET = 'validation failed due to running out of cost budget, no further validation rules will be run';

/** The check of one object. */
class RuleCheck {
  readonly errors: FieldError[] = [];
  readonly #values = new CelValues();
  #budget = OBJECT_COST_MAX;
  /** True: no rule is evaluated any more. */
  #isOver = false;

  visit(schema: SchemaProps, subject: RuleSubject, at: string): void {
    const { value, before } = subject;
    if (value === null || value === undefined) return;
    for (const rule of schema['x-kubernetes-validations'] ?? []) {
      if (!this.#isOver) this.#rule(rule, schema, subject, at);
    }
    if (this.#isOver) return;
    if (Array.isArray(value)) {
      const { items } = schema;
      if (items === undefined || !hasRules(items)) return;
      const same = itemFinder(schema, before);
      for (const [index, item] of value.entries()) {
        this.visit(items, { value: item as unknown, before: same(item) }, `${at}[${index}]`);
      }
      return;
    }
    if (!isJsonObject(value)) return;
    for (const [name, field] of Object.entries(value)) {
      const known = fieldSchema(schema, name);
      if (known === undefined) continue;
      this.visit(known, { value: field, before: fieldOf(before, name) }, childPath(at, name));
    }
  }

  #rule(rule: ValidationRule, schema: SchemaProps, { value, before }: RuleSubject, at: string): void {
    const program = ruleProgram(rule.rule);
    if (program.unsupported !== undefined) return;
    if (program.usesOldSelf && before === undefined && rule.optionalOldSelf !== true) return;
    const old = before === undefined ? undefined : this.#values.of(schema, before);
    const oldSelf = rule.optionalOldSelf === true ? (old === undefined ? Optional.none() : Optional.of(old)) : old;
    const context = { self: this.#values.of(schema, value), oldSelf };
    const { value: result, error, cost } = evaluate(program.run, context);
    const type = typeIn(schema);
    const ruleText = (rule.message ?? '').trim() || rule.rule.trim();
    if (cost > this.#budget) {
      this.#end(invalid(at, type, NO_BUDGET));
    } else if (error === COST_EXCESS) {
      const why = `no further validation rules will be run due to call cost exceeds limit for rule: ${ruleText}`;
      this.#end(invalid(at, type, `'${COST_EXCESS.message}': ${why}`));
    } else if (error !== undefined) {
      this.#budget -= cost;
      this.errors.push(invalid(at, type, `${firstLine(error)} evaluating rule: ${ruleText}`));
    } else {
      this.#budget -= cost;
      if (result !== true) this.#refuse(rule, schema, context, { value, path: at + (rule.fieldPath ?? '') });
    }
  }

  #end(error: FieldError): void {
    this.errors.push(error);
    this.#isOver = true;
  }

  #refuse(
    rule: ValidationRule,
    schema: SchemaProps,
    context: Readonly<Record<string, unknown>>,
    { value, path }: { readonly value: unknown; readonly path: string },
  ): void {
    const type = typeIn(schema);
    const refused = (why: string): FieldError => ({ ...errorOf(rule, path, value, why), schemaType: type });
    const own = rule.message?.trim() || `failed rule: ${rule.rule.trim()}`;
    const { messageExpression: text } = rule;
    if (text === undefined || ruleProgram(text).unsupported !== undefined) {
      this.errors.push(refused(own));
      return;
    }
    const { value: made, error, cost } = evaluate(ruleProgram(text).run, context);
    const failed = (why: string): void => this.#end(invalid(path, type, why));
    if (cost > this.#budget) {
      failed(`messageExpression evaluation failed due to running out of cost budget, ${NO_MORE}`);
    } else if (error === COST_EXCESS) {
      failed(`${NO_MORE} due to call cost exceeds limit for messageExpression: ${JSON.stringify(text)}`);
    } else {
      this.#budget -= cost;
      this.errors.push(refused(usableMessage(made) ?? own));
    }
  }
}

const NO_MORE = 'no further validation rules will be run';

function usableMessage(made: unknown): string | undefined {
  const text = typeof made === 'string' ? made.trim() : '';
  const isUsable = text !== '' && !text.includes('\n') && Buffer.byteLength(text) <= MESSAGE_BYTES_MAX;
  return isUsable ? text : undefined;
}

const ruled = new WeakMap<SchemaProps, boolean>();

/** True when a schema or a part of it has rules: a long list without any need not be walked through. */
export function hasRules(schema: SchemaProps): boolean {
  let compiled = ruled.get(schema);
  if (compiled === undefined) {
    const { properties = {}, items, additionalProperties } = schema;
    const parts = [...Object.values(properties), items, additionalProperties];
    compiled =
      (schema['x-kubernetes-validations'] ?? []).length > 0 ||
      parts.some((part) => typeof part === 'object' && hasRules(part));
    ruled.set(schema, compiled);
  }
  return compiled;
}

function fieldOf(object: unknown, name: string): unknown {
  return isJsonObject(object) ? ownValue(object, name) : undefined;
}

/** Finds the item with the same keys before the change. Other lists do not say which item is which. */
function itemFinder(schema: SchemaProps, before: unknown): (item: unknown) => unknown {
  const keys = schema['x-kubernetes-list-map-keys'];
  const isMap = schema['x-kubernetes-list-type'] === 'map' && keys !== undefined;
  if (!isMap || !Array.isArray(before)) return () => undefined;
  const identity = (item: unknown): string => JSON.stringify(keys.map((key) => fieldOf(item, key) ?? null));
  const known = new Map(before.map((item: unknown) => [identity(item), item]));
  return (item) => known.get(identity(item));
}

function errorOf({ reason }: ValidationRule, path: string, value: unknown, message: string): FieldError {
  switch (reason) {
    case 'FieldValueRequired':
      return required(path, message);
    case 'FieldValueForbidden':
      return forbidden(path, message);
    case 'FieldValueDuplicate':
      return duplicate(path, value);
    case undefined:
    default: {
      // Objects and lists are not shown: they may be large.
      const isScalar = typeof value !== 'object';
      return isScalar ? invalid(path, value, message) : { path, type: 'Invalid value', detail: message };
    }
  }
}

/** The type in the place of the value: a rule may be about a large object. Empty: an integer or a string. */
function typeIn({ type = '' }: SchemaProps): string {
  return type;
}

function firstLine(error: unknown): string {
  return errorMessage(error).split('\n')[0] ?? '';
}
