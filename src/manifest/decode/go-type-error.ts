import { fieldsOf } from '../../api/index.ts';
import type { FieldError } from '../base/field-error.ts';
import { parseType } from './fields.ts';

/**
 * The error of the decoder about a value of a wrong type, as Go's JSON decoder words it:
 * `json: cannot unmarshal string into Go struct field ObjectMeta.metadata.labels of type map[string]string`.
 * Source: sigs.k8s.io/json, UnmarshalTypeError.
 * @param typeName the type of the object in the field table
 * @param at the path of that object in what was read. Empty: it is the whole
 */
export function goTypeError({ type: what, path, detail }: FieldError, typeName: string, at = ''): string {
  // A value of the right type that says nothing has its own words.
  if (what !== 'Invalid type') return detail;
  let struct = typeName;
  let type = typeName;
  const names = at === '' ? [] : [at];
  for (const key of path.split(/[.[\]]/).filter((word) => word !== '')) {
    const field = fieldsOf(type)?.[key];
    if (field === undefined) {
      // An item of a list, or of a map.
      type = parseType(type).base;
    } else {
      [struct, type] = [type, field];
      names.push(key);
    }
  }
  const got = detail.slice(detail.lastIndexOf(', got ') + ', got '.length);
  const about = [struct.replace(/^.*\./, ''), ...names].join('.');
  return `json: cannot unmarshal ${GO_VALUES[got] ?? got} into Go struct field ${about} of type ${goTypeName(type)}`;
}

const GO_VALUES: Readonly<Record<string, string>> = { list: 'array', boolean: 'bool' };

const GO_TYPES: Readonly<Record<string, string>> = { bytes: '[]uint8', any: 'interface {}', object: 'interface {}' };

function goTypeName(type: string): string {
  const { container, base } = parseType(type);
  const [package_ = '', name] = base.includes('.') ? base.split('.') : ['', base];
  const version = package_.includes('V') ? package_.slice(package_.lastIndexOf('V') + 1) : '1';
  const named = fieldsOf(base) === undefined ? (GO_TYPES[base] ?? base) : `v${version}.${name}`;
  if (container === 'list') return `[]${named}`;
  return container === 'map' ? `map[string]${named}` : named;
}
