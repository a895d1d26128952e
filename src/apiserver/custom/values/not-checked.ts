import { type FieldError, invalid } from '../../../manifest/index.ts';
import { NOWHERE } from './validate.ts';

const WHY =
  'some validation rules were not checked because the object was invalid; ' +
  'correct the existing errors to complete validation';

/** Says that rules were left out. */
export const NOT_CHECKED: FieldError = invalid(NOWHERE, null, WHY);

const STOPPING: ReadonlySet<FieldError['type']> = new Set([
  'Unsupported value',
  'Required value',
  'Too long',
  'Too many',
]);

/** True for a mistake after which no rule is evaluated. Source: customresource/strategy.go, hasBlockingErr. */
export function stopsRules({ type, isOfOtherType }: FieldError): boolean {
  return isOfOtherType === true || STOPPING.has(type);
}
