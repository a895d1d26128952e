import { isJsonObject, type JsonObject } from '../../../api/index.ts';
import { type FieldError, invalid } from '../../../manifest/index.ts';
import type { CustomVersion } from '../../resources/served-resource.ts';

/** Replicas are 32-bit integers. */
const REPLICAS_MAX = 2 ** 31 - 1;

/** The mistakes of the replicas of the subresource scale. Source: apiextensions, customresource/validator.go. */
export function checkScale(
  { specPath, statusPath }: NonNullable<CustomVersion['scale']>,
  object: JsonObject,
): FieldError[] {
  return [specPath, statusPath].flatMap((path) => checkReplicas(path, object));
}

function checkReplicas(path: string, object: JsonObject): FieldError[] {
  const names = path.split('.').filter((name) => name !== '');
  const wrong = (value: unknown, type: string, length: number): FieldError[] => {
    const at = `.${names.slice(0, length).join('.')}`;
    return [
      invalid(path, 0, `${at} accessor error: ${String(value)} is of the type ${goType(value)}, expected ${type}`),
    ];
  };
  let value: unknown = object;
  for (const [index, name] of names.entries()) {
    if (value === undefined || value === null) return [];
    if (!isJsonObject(value)) return wrong(value, 'map[string]interface{}', index + 1);
    value = value[name];
  }
  if (value === undefined || value === null) return [];
  if (!Number.isInteger(value)) return wrong(value, 'int64', names.length);
  if ((value as number) < 0) return [invalid(path, value, 'should be a non-negative integer')];
  const isTooMuch = (value as number) > REPLICAS_MAX;
  return isTooMuch ? [invalid(path, value, `should be less than or equal to ${REPLICAS_MAX}`)] : [];
}

/** The type of a decoded value in Go. */
function goType(value: unknown): string {
  if (Array.isArray(value)) return '[]interface {}';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'string' ? 'string' : 'map[string]interface {}';
}
