import { type FieldError, invalid } from '../base/field-error.ts';

/** Requires a relative path without `..`. */
export function descendingPath(path: string, file: string): FieldError[] {
  const absolute = file.startsWith('/') ? [invalid(path, file, 'must be a relative path')] : [];
  return [...absolute, ...noBacksteps(path, file)];
}

export function noBacksteps(path: string, file: string): FieldError[] {
  return file.split('/').includes('..') ? [invalid(path, file, "must not contain '..'")] : [];
}

/** Requires a relative path that does not begin with two dots: the kubelet uses such names for its own files. */
export function unreservedPath(path: string, file: string): FieldError[] {
  const isReserved = file.startsWith('..') && !file.startsWith('../');
  const reserved = isReserved ? [invalid(path, file, "must not start with '..'")] : [];
  return [...descendingPath(path, file), ...reserved];
}
