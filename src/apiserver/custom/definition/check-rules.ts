import { type FieldError, forbidden, invalid } from '../../../manifest/index.ts';
import { REQUEST_BYTES, schemaType } from '../cel/check/schema-types.ts';
import { optionalType, type CelType } from '../cel/check/types.ts';
import { checkedRule } from '../cel/rule-programs.ts';
import { isEmbeddedResource, schemaOr, type SchemaProps, type ValidationRule } from '../base/schema.ts';

/** Source: apiextensions, pkg/apis/apiextensions/validation/validation.go. */
const EXPRESSION_COST_MAX = 10_000_000;
const SCHEMA_COST_MAX = 100_000_000;
/** The rules that a message about a schema names, at most. */
const NAMED_RULES = 4;

interface RuledLevel {
  readonly schema: SchemaProps;
  readonly at: string;
  readonly isResource: boolean;
  /** The most values of this schema that an object may have. Undefined: only the size of the object bounds it. */
  readonly count: number | undefined;
  /** The place above which tells not which value is which after a change. */
  readonly mixed: string | undefined;
}

/** The rules of a schema, each with its cost. */
interface Costs {
  total: number;
  readonly large: { readonly path: string; readonly cost: number }[];
}

/**
 * The mistakes of the rules of a schema without any other mistake: their types, and their costs. Source: apiextensions,
 * pkg/apis/apiextensions/validation/validation.go and cel_validation.go.
 */
export function checkSchemaRules(schema: SchemaProps, at: string): FieldError[] {
  const costs: Costs = { total: 0, large: [] };
  const errors = checkLevel({ schema, at, isResource: true, count: 1, mixed: undefined }, costs);
  if (costs.total <= SCHEMA_COST_MAX) return errors;
  const named = costs.large.toSorted((one, other) => other.cost - one.cost).slice(0, NAMED_RULES);
  const part = 'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema';
  const whole = 'x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema';
  return [
    ...errors,
    ...named.map(({ path }) => forbidden(path, part)),
    forbidden(at, excess(whole, costs.total, SCHEMA_COST_MAX)),
  ];
}

function checkLevel(level: RuledLevel, costs: Costs): FieldError[] {
  return [...levelsBelow(level).flatMap((one) => checkLevel(one, costs)), ...checkOwn(level, costs)];
}

function levelsBelow({ schema, at, count, mixed }: RuledLevel): RuledLevel[] {
  const below = (child: SchemaProps, path: string, more: Partial<RuledLevel>): RuledLevel => {
    return { schema: child, at: path, isResource: isEmbeddedResource(child), count, mixed, ...more };
  };
  const isAtomic = schema['x-kubernetes-map-type'] === 'atomic';
  const fields = { mixed: mixed ?? (isAtomic ? at : undefined) };
  const isMapList = schema['x-kubernetes-list-type'] === 'map';
  const values = schemaOr(schema.additionalProperties);
  return [
    ...Object.entries(schema.properties ?? {}).map(([name, child]) =>
      below(child, `${at}.properties[${name}]`, fields),
    ),
    ...(values === undefined
      ? []
      : [below(values, `${at}.additionalProperties`, { ...fields, count: repeated(count, schema.maxProperties) })]),
    ...(schema.items === undefined
      ? []
      : [
          below(schema.items, `${at}.items`, {
            count: repeated(count, schema.maxItems),
            mixed: mixed ?? (isMapList ? undefined : at),
          }),
        ]),
  ];
}

function repeated(count: number | undefined, times: number | undefined): number | undefined {
  return count === undefined || times === undefined ? undefined : count * Math.max(0, times);
}

function checkOwn(level: RuledLevel, costs: Costs): FieldError[] {
  const { schema, at, isResource } = level;
  const rules = schema['x-kubernetes-validations'] ?? [];
  const type = rules.length === 0 ? undefined : schemaType(schema, isResource);
  if (type === undefined) return [];
  const count = level.count ?? Math.floor(REQUEST_BYTES / ((type.leastBytes ?? 0) + 1));
  return rules.flatMap((rule, index) =>
    checkOne(rule, { ...level, at: `${at}.x-kubernetes-validations[${index}]`, count, type }, costs),
  );
}

function checkOne(
  rule: ValidationRule,
  { at, type, count, mixed }: RuledLevel & { readonly count: number; readonly type: CelType },
  costs: Costs,
): FieldError[] {
  const scope = new Map([
    ['self', type],
    ['oldSelf', rule.optionalOldSelf === true ? optionalType(type) : type],
  ]);
  const { rule: test, message } = checkedRule(rule, scope);
  const errors: FieldError[] = [];
  const observe = (path: string, cost: number, what: string): void => {
    costs.total += cost;
    if (cost >= SCHEMA_COST_MAX / 100) costs.large.push({ path, cost });
    if (cost > EXPRESSION_COST_MAX) errors.push(forbidden(path, excess(what, cost, EXPRESSION_COST_MAX)));
  };
  observe(`${at}.rule`, test.cost * count, 'estimated rule cost');
  if (test.error !== undefined) errors.push(invalid(`${at}.rule`, ruleValue(rule), test.error));
  if (message?.error !== undefined) errors.push(invalid(`${at}.messageExpression`, ruleValue(rule), message.error));
  else if (message !== undefined) observe(`${at}.messageExpression`, message.cost, 'estimated messageExpression cost');
  if (test.usesOldSelf && mixed !== undefined) {
    const why = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${mixed}`;
    errors.push(invalid(`${at}.rule`, rule.rule, why));
  }
  if (!test.usesOldSelf && test.error === undefined && rule.optionalOldSelf !== undefined) {
    const why = 'may not be set if oldSelf is not used in rule';
    errors.push(invalid(`${at}.optionalOldSelf`, rule.optionalOldSelf, why));
  }
  return errors;
}

/** A rule as the API server shows it. */
function ruleValue({ rule, message, messageExpression, reason, fieldPath, optionalOldSelf }: ValidationRule): object {
  return {
    Rule: rule,
    Message: message ?? '',
    MessageExpression: messageExpression ?? '',
    Reason: reason ?? null,
    FieldPath: fieldPath ?? '',
    OptionalOldSelf: optionalOldSelf ?? null,
  };
}

const HINT =
  'try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are ' +
  'declared';

function excess(what: string, cost: number, most: number): string {
  const factor = cost / most;
  const shownFactor = factor < 1.5 ? factor.toFixed(6) : factor.toFixed(1);
  return `${what} exceeds budget by factor of ${factor > 100 ? 'more than 100' : shownFactor}x (${HINT})`;
}
