import { type FieldError, notSupported } from '../../manifest/index.ts';
import type { ApiRequest } from './request.ts';
import { invalidObject } from './status-error.ts';

/** The treatment of unknown fields. */
type FieldValidation = 'Strict' | 'Warn' | 'Ignore';

const FIELD_VALIDATIONS: readonly string[] = ['Ignore', 'Warn', 'Strict'];

/** The treatment of unknown fields that a request asks for. */
export function fieldValidation({ query }: ApiRequest): FieldValidation {
  const validation = query.get('fieldValidation') ?? '';
  return FIELD_VALIDATIONS.includes(validation) ? (validation as FieldValidation) : 'Warn';
}

/** True when nothing is to be stored. */
export function isDryRun({ query }: ApiRequest): boolean {
  return query.getAll('dryRun').includes('All');
}

const OPTIONS: Readonly<Record<string, string>> = {
  create: 'CreateOptions',
  update: 'UpdateOptions',
  patch: 'PatchOptions',
};

/**
 * Checks the options of a write. Source: apimachinery/pkg/apis/meta/v1/validation/validation.go.
 * @throws {StatusError} 422
 */
export function checkWriteOptions({ query, verb }: ApiRequest): void {
  const errors: FieldError[] = [];
  const validation = query.get('fieldValidation') ?? '';
  for (const dryRun of query.getAll('dryRun'))
    if (dryRun !== 'All' && dryRun !== '') errors.push(notSupported('dryRun', dryRun, ['All']));
  if (validation !== '' && !FIELD_VALIDATIONS.includes(validation))
    errors.push(notSupported('fieldValidation', validation, ['', ...FIELD_VALIDATIONS]));
  if (errors.length === 0) return;
  throw invalidObject({ kind: OPTIONS[verb] ?? 'UpdateOptions', group: 'meta.k8s.io' }, '', errors);
}
