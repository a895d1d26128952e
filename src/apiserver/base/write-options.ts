import { type FieldError, forbidden, notSupported, tooLong } from '../../manifest/index.ts';
import { isApplyType } from './media-type.ts';
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

/** Bytes. */
const MANAGER_MAX = 128;

const OPTIONS: Readonly<Record<string, string>> = {
  create: 'CreateOptions',
  update: 'UpdateOptions',
  patch: 'PatchOptions',
};

/**
 * Checks the options of a write. Source: apimachinery/pkg/apis/meta/v1/validation/validation.go.
 * @throws {StatusError} 422
 */
export function checkWriteOptions({ query, verb, headers }: ApiRequest): void {
  const errors: FieldError[] = [];
  if (verb === 'patch' && query.has('force') && !isApplyType(headers['content-type']))
    errors.push(forbidden('force', 'may not be specified for non-apply patch'));
  const validation = query.get('fieldValidation') ?? '';
  const dryRun = query.getAll('dryRun').filter((each) => each !== '');
  // The value of the mistake is the whole list.
  if (dryRun.some((each) => each !== 'All')) errors.push(notSupported('dryRun', dryRun, ['All']));
  if (Buffer.byteLength(query.get('fieldManager') ?? '') > MANAGER_MAX)
    errors.push(tooLong('fieldManager', MANAGER_MAX));
  if (validation !== '' && !FIELD_VALIDATIONS.includes(validation))
    errors.push(notSupported('fieldValidation', validation, ['', ...FIELD_VALIDATIONS].toSorted()));
  if (errors.length === 0) return;
  throw invalidObject({ kind: OPTIONS[verb] ?? 'UpdateOptions', group: 'meta.k8s.io' }, '', errors);
}
