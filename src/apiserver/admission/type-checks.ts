import { checkExpression } from '../custom/cel/check/check-expression.ts';
import { DYN, type CelType } from '../custom/cel/check/types.ts';
import { apiVersionOf } from '../resources/served-resource.ts';
import { type CheckableKind, kindsToCheck } from './checked-kinds.ts';
import { admissionEnvironment } from './expressions.ts';
import { KindTypes } from './kind-types.ts';
import type { ParamKind } from './policies.ts';
import { conditionScope, policyScope } from './policy-scope.ts';
import type { PolicyValidation, ValidatingPolicy } from './validating-policies.ts';

/** A warning about an expression. Source: k8s.io/api/admissionregistration/v1. */
interface ExpressionWarning {
  /** `spec.validations[0].expression`. */
  readonly fieldRef: string;
  readonly warning: string;
}

/** The ends of the names of the types in mistakes: in Kubernetes they are times. */
const [OF_OBJECT, OF_PARAMS] = ['1', '2'];

/**
 * The mistakes that the validations of a policy have for the types of the objects and parameters that they are about.
 * The policy is evaluated all the same. Source: apiserver/pkg/admission/plugin/policy/validating/typechecking.go.
 * @param served the kinds of the server
 */
export function expressionWarnings({ spec }: ValidatingPolicy, served: readonly CheckableKind[]): ExpressionWarning[] {
  const { validations = [], variables = [], matchConstraints, paramKind } = spec;
  const texts = validations.flatMap(({ expression, messageExpression = '' }) => [expression, messageExpression]);
  const types = new KindTypes([...texts, ...variables.map(({ expression }) => expression)]);
  const params = paramKind && (paramType(paramKind, served, types) ?? DYN);
  const checks = kindsToCheck(matchConstraints?.resourceRules ?? [], served).map((kind) => {
    const { scope } = policyScope(spec, conditionScope(types.of(kind, kind.kind + OF_OBJECT) ?? DYN, params));
    return (expression: string): string[] => {
      const checked = checkExpression(admissionEnvironment(), expression, scope);
      return 'error' in checked ? [`${kind.group}/${kind.version}, Kind=${kind.kind}: ${checked.error}\n`] : [];
    };
  });
  const warningsOf = (field: keyof PolicyValidation, index: number, text: string): ExpressionWarning[] => {
    const mistakes = checks.flatMap((check) => check(text));
    const fieldRef = `spec.validations[${index}].${field}`;
    return mistakes.length === 0 ? [] : [{ fieldRef, warning: mistakes.join('\n') }];
  };
  return validations.flatMap(({ expression, messageExpression = '' }, index) => [
    ...warningsOf('expression', index, expression),
    ...(messageExpression === '' ? [] : warningsOf('messageExpression', index, messageExpression)),
  ]);
}

/** The kinds whose types matter to a policy: of objects and of parameters. */
export function kindsOfPolicy<K extends CheckableKind>({ spec }: ValidatingPolicy, kinds: readonly K[]): readonly K[] {
  const { matchConstraints, paramKind } = spec;
  const params = paramKind && kindOfParams(paramKind, kinds);
  return [...new Set([...kindsToCheck(matchConstraints?.resourceRules ?? [], kinds), ...(params ? [params] : [])])];
}

/** The kind of the parameters of a policy, among the kinds of the server. Undefined: it has no such kind. */
export function kindOfParams<K extends CheckableKind>(
  { apiVersion, kind }: ParamKind,
  kinds: readonly K[],
): K | undefined {
  return kinds.find((one) => one.kind === kind && apiVersionOf(one) === apiVersion);
}

function paramType(params: ParamKind, served: readonly CheckableKind[], types: KindTypes): CelType | undefined {
  const known = kindOfParams(params, served);
  return known && types.of(known, known.kind + OF_PARAMS);
}
