import type { Finding, FindingRule } from './finding.ts';
import { type FieldError, type FieldErrorType, formatFieldError } from '../base/field-error.ts';
import type { Subject } from '../check/manifest-mistake.ts';
import type { Position } from '../read/source-node.ts';

/** The place of a finding. */
export type PlacedFinding = Pick<Finding, 'file' | 'line' | 'column' | 'excerpt' | 'object'>;

/** The place of a finding about an object. */
export function placed({ file, identity, source }: Subject, { line, column }: Position): PlacedFinding {
  const { generateName: _, ...named } = identity;
  const object = named.kind === '' ? undefined : named;
  return { file, line, column, excerpt: source.lineAt(line), object };
}

/** The texts of a mistake. */
export function errorFields(error: FieldError): Pick<Finding, 'path' | 'message' | 'hint'> {
  // These messages are complete without their type.
  const isWhole = SENTENCES.has(error.type);
  return { path: error.path, message: isWhole ? error.detail : formatFieldError(error), hint: error.hint };
}

const SENTENCES: ReadonlySet<FieldErrorType> = new Set<FieldErrorType>([
  'Parse error',
  'No match',
  'Unknown field',
  'Duplicate field',
]);

/** The rule that a mistake breaks. */
export const RULE_OF: Readonly<Record<FieldErrorType, FindingRule>> = {
  'Required value': 'required-value',
  'Invalid value': 'invalid-value',
  'Unsupported value': 'unsupported-value',
  Forbidden: 'forbidden',
  'Duplicate value': 'duplicate-value',
  'Not found': 'not-found',
  'Too long': 'size-limit',
  'Too many': 'size-limit',
  'Internal error': 'invalid-value',
  'Parse error': 'parse-error',
  'Invalid type': 'invalid-type',
  'Unknown field': 'unknown-field',
  'Duplicate field': 'duplicate-field',
  'No match': 'unknown-kind',
};

/** A finding about what was not checked. */
export function notChecked(subject: Subject, position: Position, why: string, noSkip: boolean): Finding {
  const level = noSkip ? 'error' : 'note';
  return {
    ...placed(subject, position),
    level,
    rule: 'not-checked',
    path: '',
    message: `not checked: ${why}`,
    hint: undefined,
  };
}
