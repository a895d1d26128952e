import { Optional, type Environment, type ParseResult } from '@marcbachmann/cel-js';
import { duplicate, forbidden, invalid, required, type FieldError } from '../../../manifest/field-error.ts';
import { isJsonObject, type JsonObject } from '../../../api/json.ts';
import { childPath, fieldSchema, type SchemaProps, type ValidationRule } from '../schema.ts';
import { celValue } from './cel-values.ts';
import { newEnvironment, parseExpression } from './environment.ts';

let environment: Environment | undefined;
const programs = new Map<string, Program>();
const PROGRAMS_MAX = 10_000;

/** An expression that can be evaluated. */
interface Program {
  readonly run: ParseResult;
  readonly unsupported: string | undefined;
}

/** @throws ParseError when the text is no expression */
function programOf(text: string): Program {
  const known = programs.get(text);
  if (known !== undefined) return known;
  environment ??= newEnvironment(['self', 'oldSelf']);
  const run = parseExpression(environment, text);
  const { valid, error } = run.check();
  const program = { run, unsupported: valid ? undefined : firstLine(error) };
  if (programs.size >= PROGRAMS_MAX) programs.clear();
  programs.set(text, program);
  return program;
}

/** The error of a text that is no expression. Undefined: it is one. */
export function syntaxErrorOf(text: string): string | undefined {
  try {
    programOf(text);
    return undefined;
  } catch (error) {
    return firstLine(error);
  }
}

/**
 * The error of an expression that podrun cannot evaluate, because it lacks a function. Undefined: it can. The writer of
 * the definition is told, and the rule is not applied.
 */
export function unsupportedIn(text: string): string | undefined {
  return programOf(text).unsupported;
}

/** Values of an object, before and after a change. */
export interface RuleSubject {
  readonly value: unknown;
  /** Undefined: the value is new, or belongs to nothing before the change. */
  readonly before: unknown;
}

/** Evaluates the rules of a schema. Source: apiextensions, pkg/apiserver/schema/cel/validation.go. */
export function checkRules(schema: SchemaProps, subject: RuleSubject, at: string): FieldError[] {
  const { value, before } = subject;
  const own = (schema['x-kubernetes-validations'] ?? []).flatMap((rule) => checkRule(rule, schema, subject, at));
  if (Array.isArray(value)) {
    const { items } = schema;
    if (items === undefined) return own;
    const inner = value.flatMap((item: unknown, index) =>
      checkRules(items, { value: item, before: sameItem(schema, item, before) }, `${at}[${index}]`),
    );
    return [...own, ...inner];
  }
  if (!isJsonObject(value)) return own;
  const inner = Object.entries(value).flatMap(([name, field]) => {
    const known = fieldSchema(schema, name);
    if (known === undefined) return [];
    return checkRules(known, { value: field, before: fieldOf(before, name) }, childPath(at, name));
  });
  return [...own, ...inner];
}

function fieldOf(object: unknown, name: string): unknown {
  return isJsonObject(object) && Object.hasOwn(object, name) ? object[name] : undefined;
}

/** The item with the same keys before the change. Other lists do not say which item is which. */
function sameItem(schema: SchemaProps, item: unknown, before: unknown): unknown {
  const keys = schema['x-kubernetes-list-map-keys'];
  if (schema['x-kubernetes-list-type'] !== 'map' || keys === undefined || !Array.isArray(before)) return undefined;
  return before.find((one: unknown) => keys.every((key) => fieldOf(one, key) === fieldOf(item, key)));
}

function checkRule(
  rule: ValidationRule,
  schema: SchemaProps,
  { value, before }: RuleSubject,
  at: string,
): FieldError[] {
  if (unsupportedIn(rule.rule) !== undefined) return [];
  const isTransition = /\boldSelf\b/.test(rule.rule);
  if (isTransition && before === undefined && rule.optionalOldSelf !== true) return [];
  const old = before === undefined ? undefined : celValue(schema, before);
  const oldSelf = rule.optionalOldSelf === true ? (old === undefined ? Optional.none() : Optional.of(old)) : old;
  const context = { self: celValue(schema, value), oldSelf };
  try {
    if (programOf(rule.rule).run(context) === true) return [];
  } catch (error) {
    return [invalid(at, typeOf(value), `${firstLine(error)} evaluating rule: ${rule.message ?? rule.rule}`)];
  }
  return [errorOf(rule, at + (rule.fieldPath ?? ''), value, messageOf(rule, context))];
}

function messageOf({ rule, message, messageExpression }: ValidationRule, context: JsonObject): string {
  if (messageExpression !== undefined) {
    try {
      const text: unknown = programOf(messageExpression).run(context);
      if (typeof text === 'string' && text.trim() !== '') return text;
    } catch {
      // The message of the rule serves.
    }
  }
  return message === undefined || message === '' ? `failed rule: ${rule.trim()}` : message;
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
    default:
      return invalid(path, typeOf(value), message);
  }
}

/** The type in the place of the value: a rule may be about a large object. */
function typeOf(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return value === null ? 'null' : typeof value;
}

function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';
}
