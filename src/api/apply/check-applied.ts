import { isJsonObject } from '../base/json.ts';
import { goValue } from '../patch/errors.ts';
import { fieldElement, isListShape, itemElement, itemShape, pathText, UNKEYED } from './list-element.ts';
import { LEAF, type ListKey, resolved, type ScalarType, type Shape } from './shape.ts';

/**
 * The mistakes that keep an object from being applied: fields that the schema does not declare, items without keys, two
 * items with the same keys, values of the wrong kind. Source: structured-merge-diff, typed/validate.go.
 */
export function checkApplied(shape: Shape, value: unknown, at: readonly string[] = []): string[] {
  const complain = (text: string): string[] => [`${pathText(at)}: ${text}`];
  if (value === undefined || value === null) return [];
  if (shape.kind === 'object') {
    if (!isJsonObject(value)) return complain(`expected map, got &{${goValue(value)}}`);
    const mistakes: string[] = [];
    for (const name of Object.keys(value)) {
      const inner = shape.field(name);
      // Most of ten thousand texts are right, and need no path.
      if (inner?.kind === 'leaf' && isFitting(inner.scalar, value[name])) continue;
      const path = [...at, fieldElement(name)];
      mistakes.push(
        ...(inner === undefined
          ? [`${pathText(path)}: field not declared in schema`]
          : checkApplied(inner, value[name], path)),
      );
    }
    return mistakes;
  }
  if (shape.kind === 'leaf') {
    const wrong = scalarMistake(shape.scalar, value);
    return wrong === undefined ? [] : complain(wrong);
  }
  if (!isListShape(shape)) return [];
  if (!Array.isArray(value)) return complain(`expected list, got &{${goValue(value)}}`);
  const seen = new Set<string>();
  return value.flatMap((item: unknown) => {
    const element = itemElement(shape, item);
    if (lacksKeys(shape, item)) {
      return complain(
        `element ${value.indexOf(item)}: associative list with keys has an element that omits all key fields ` +
          `${goStrings(shape.keys)} (and doesn't have default values for any key fields)`,
      );
    }
    if (seen.has(element)) return complain(`duplicate entries for key ${pathText([element])}`);
    seen.add(element);
    return checkApplied(itemShape(shape), item, [...at, element]);
  });
}

/** Source: structured-merge-diff, typed/helpers.go, keyedAssociativeListItemToPathElement. */
function lacksKeys(shape: Shape, item: unknown): shape is Extract<Shape, { readonly kind: 'keyed' }> {
  return shape.kind === 'keyed' && isJsonObject(item) && itemElement(shape, item) === UNKEYED;
}

/** A list of texts as `%q` prints it. */
const goStrings = (keys: readonly ListKey[]): string => `[${keys.map(({ name }) => JSON.stringify(name)).join(' ')}]`;

/**
 * The lists, maps and structs in an object that an apply would replace as a whole: `.spec.nodeSelector`.
 * Source: apiserver/pkg/admission/plugin/policy/mutating/patch/smd.go, findAtomics.
 */
export function atomicParts(shape: Shape, value: unknown, at = ''): string[] {
  const own = resolved(shape, value);
  if (isJsonObject(value)) {
    const fields = Object.entries(value).flatMap(([name, field]) =>
      own.kind === 'object' ? atomicParts(own.field(name) ?? LEAF, field, `${at}.${name}`) : [],
    );
    return own.kind === 'object' ? fields : [at, ...fields];
  }
  if (!Array.isArray(value)) return [];
  if (!isListShape(own)) return [at];
  const item = itemShape(own);
  return value.flatMap((one: unknown, index) => atomicParts(item, one, `${at}[${index}]`));
}

/** Source: structured-merge-diff, typed/validate.go, validateScalar. */
function scalarMistake(scalar: ScalarType | undefined, value: unknown): string | undefined {
  if (isFitting(scalar, value)) return undefined;
  if (scalar === 'numeric') return `expected numeric (int or float), got ${goTypeOf(value)}`;
  return `expected ${scalar}, got &value.valueUnstructured{Value:${JSON.stringify(value)}}`;
}

function isFitting(scalar: ScalarType | undefined, value: unknown): boolean {
  return scalar === undefined || typeof value === (scalar === 'numeric' ? 'number' : scalar);
}

function goTypeOf(value: unknown): string {
  if (Array.isArray(value)) return '[]interface {}';
  return isJsonObject(value) ? 'map[string]interface {}' : typeof value === 'boolean' ? 'bool' : typeof value;
}
