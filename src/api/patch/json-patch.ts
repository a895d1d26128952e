import { badRequest, goJsonType, rejectedRequest, tooLarge } from './errors.ts';
import { isJsonObject, isSameJson, type JsonObject } from '../json.ts';
import { changeAt, PointerError, valueAt } from './json-pointer.ts';

/**
 * Applies a JSON patch (RFC 6902) as the API server does with github.com/evanphx/json-patch v4. No JavaScript library
 * has its messages and extensions (negative indexes, missing values).
 * @throws PodrunError when the patch is no list of operations, or an operation fails
 */
export function applyJsonPatch(object: JsonObject, patch: unknown): JsonObject {
  if (patch !== null && !Array.isArray(patch)) throw cannotUnmarshal(patch, 'jsonpatch.Patch');
  const operations = (patch ?? []) as readonly unknown[];
  if (operations.length > MAX_OPERATIONS) {
    const limit = `The allowed maximum operations in a JSON patch is ${MAX_OPERATIONS}`;
    throw tooLarge(`${limit}, got ${operations.length}`);
  }
  const budget: Budget = { copiedBytes: 0 };
  const result = operations
    .map(readOperation)
    .reduce<unknown>((document, operation) => carryOut(document, operation, budget), object);
  if (!isJsonObject(result)) throw cannotUnmarshal(result, 'map[string]interface {}');
  return result;
}

/** Source: staging/src/k8s.io/apiserver/pkg/endpoints/handlers/patch.go, maxJSONPatchOperations. */
const MAX_OPERATIONS = 10_000;
/**
 * The most bytes that `copy` may add: copies of copies grow fast. Source: jsonpatch.AccumulatedCopySizeLimit, set to
 * the size of a request.
 */
const MAX_COPIED_BYTES = 3 * 1024 * 1024;

/** The bytes that a patch has copied so far. */
interface Budget {
  copiedBytes: number;
}

function cannotUnmarshal(value: unknown, goType: string): Error {
  return badRequest(`json: cannot unmarshal ${goJsonType(value)} into Go value of type ${goType}`);
}

function readOperation(operation: unknown): JsonObject {
  if (isJsonObject(operation)) return operation;
  throw cannotUnmarshal(operation, 'jsonpatch.Operation');
}

function carryOut(document: unknown, operation: JsonObject, budget: Budget): unknown {
  const { op, value = null } = operation;
  switch (op) {
    case 'add': {
      const path = textOf(operation, 'path', op);
      return add(document, path, value, {
        noWay: `add operation does not apply: doc is missing path: "${path}"`,
        failed: `error in add for path: '${path}'`,
      });
    }
    case 'remove': {
      const path = textOf(operation, 'path', op);
      return remove(document, path, {
        noWay: `remove operation does not apply: doc is missing path: "${path}"`,
        failed: `error in remove for path: '${path}'`,
      });
    }
    case 'replace':
      return replace(document, textOf(operation, 'path', op), value);
    case 'move':
      return move(document, textOf(operation, 'from', op), textOf(operation, 'path', op));
    case 'copy':
      return copy(document, textOf(operation, 'from', op), textOf(operation, 'path', op), budget);
    case 'test':
      test(document, textOf(operation, 'path', op), value);
      return document;
    default:
      throw rejectedRequest(`Unexpected kind: ${typeof op === 'string' ? op : 'unknown'}`);
  }
}

function textOf(operation: JsonObject, field: 'path' | 'from', op: string): string {
  const text = operation[field];
  if (typeof text === 'string') return text;
  throw rejectedRequest(`${op} operation failed to decode ${field}: missing value`);
}

/** The messages of an operation whose pointer leads nowhere. */
interface Complaints {
  readonly noWay: string;
  /** The message for a missing key or index. The reason follows. */
  readonly failed: string;
}

function complaining<T>({ noWay, failed }: Complaints, step: () => T): T {
  try {
    return step();
  } catch (error) {
    if (!(error instanceof PointerError)) throw error;
    throw rejectedRequest(error.trouble === 'no way' ? `${noWay}: missing value` : `${failed}: ${error.message}`);
  }
}

function add(document: unknown, path: string, value: unknown, complaints: Complaints): unknown {
  return complaining(complaints, () => changeAt(document, path, (container, key) => container.add(key, value)));
}

function remove(document: unknown, path: string, complaints: Complaints): unknown {
  return complaining(complaints, () => changeAt(document, path, (container, key) => container.remove(key)));
}

function replace(document: unknown, path: string, value: unknown): unknown {
  if (path === '') return value;
  const noWay = `replace operation does not apply: doc is missing path: ${path}`;
  const noKey = `replace operation does not apply: doc is missing key: ${path}: missing value`;
  return complaining({ noWay, failed: '' }, () =>
    changeAt(document, path, (container, key) => {
      try {
        container.get(key);
      } catch {
        throw rejectedRequest(noKey);
      }
      return container.set(key, value);
    }),
  );
}

function move(document: unknown, from: string, path: string): unknown {
  const source: Complaints = {
    noWay: `move operation does not apply: doc is missing from path: ${from}`,
    failed: `error in move for path: '${from.slice(from.lastIndexOf('/') + 1)}'`,
  };
  const value = complaining(source, () => valueAt(document, from));
  return add(remove(document, from, source), path, value, {
    noWay: `move operation does not apply: doc is missing destination path: ${path}`,
    failed: `error in move for path: '${path}'`,
  });
}

function copy(document: unknown, from: string, path: string, budget: Budget): unknown {
  const source: Complaints = {
    noWay: `copy operation does not apply: doc is missing from path: ${from}`,
    failed: `error in copy for from: '${from}'`,
  };
  const value = complaining(source, () => valueAt(document, from));
  budget.copiedBytes += JSON.stringify(value).length;
  if (budget.copiedBytes > MAX_COPIED_BYTES) {
    const what = 'Unable to complete the copy, the accumulated size increase of copy is';
    throw tooLarge(`${what} ${budget.copiedBytes}, exceeding the limit ${MAX_COPIED_BYTES}`);
  }
  return add(document, path, value, {
    noWay: `copy operation does not apply: doc is missing destination path: ${path}`,
    failed: 'error while adding value during copy',
  });
}

/** Compares a value. A missing value equals null. */
function test(document: unknown, path: string, value: unknown): void {
  const complaints: Complaints = {
    noWay: `test operation does not apply: is missing path: ${path}`,
    failed: `error in test for path: '${path}'`,
  };
  if (
    isSameJson(
      complaining(complaints, () => valueOrNull(document, path)),
      value,
    )
  )
    return;
  throw rejectedRequest(`testing value ${path} failed: test failed`);
}

function valueOrNull(document: unknown, path: string): unknown {
  try {
    return valueAt(document, path);
  } catch (error) {
    if (error instanceof PointerError && error.trouble === 'no key') return null;
    throw error;
  }
}
