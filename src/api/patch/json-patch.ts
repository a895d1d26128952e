import { badRequest, goJsonType, rejectedRequest, tooLarge } from './errors.ts';
import { isJsonObject, isSameJson, type JsonObject } from '../base/json.ts';
import { JsonDraft, PointerError } from './json-pointer.ts';

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
  const draft = new JsonDraft(object);
  for (const operation of operations.map(readOperation)) carryOut(draft, operation, budget);
  const result = draft.valueAt('');
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

function carryOut(draft: JsonDraft, operation: JsonObject, budget: Budget): void {
  const { op, value = null } = operation;
  switch (op) {
    case 'add': {
      const path = textOf(operation, 'path', op);
      add(draft, path, value, {
        noWay: `add operation does not apply: doc is missing path: "${path}"`,
        failed: `error in add for path: '${path}'`,
      });
      return;
    }
    case 'remove': {
      const path = textOf(operation, 'path', op);
      remove(draft, path, {
        noWay: `remove operation does not apply: doc is missing path: "${path}"`,
        failed: `error in remove for path: '${path}'`,
      });
      return;
    }
    case 'replace':
      replace(draft, textOf(operation, 'path', op), value);
      return;
    case 'move':
      move(draft, textOf(operation, 'from', op), textOf(operation, 'path', op));
      return;
    case 'copy':
      copy(draft, textOf(operation, 'from', op), textOf(operation, 'path', op), budget);
      return;
    case 'test':
      test(draft, textOf(operation, 'path', op), value);
      return;
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

function add(draft: JsonDraft, path: string, value: unknown, complaints: Complaints): void {
  complaining(complaints, () => draft.change(path, (container, key) => container.add(key, value)));
}

function remove(draft: JsonDraft, path: string, complaints: Complaints): void {
  complaining(complaints, () => draft.change(path, (container, key) => container.remove(key)));
}

function replace(draft: JsonDraft, path: string, value: unknown): void {
  if (path === '') {
    draft.replaceAll(value);
    return;
  }
  const noWay = `replace operation does not apply: doc is missing path: ${path}`;
  const noKey = `replace operation does not apply: doc is missing key: ${path}: missing value`;
  complaining({ noWay, failed: '' }, () =>
    draft.change(path, (container, key) => {
      try {
        container.get(key);
      } catch {
        throw rejectedRequest(noKey);
      }
      container.set(key, value);
    }),
  );
}

function move(draft: JsonDraft, from: string, path: string): void {
  const source: Complaints = {
    noWay: `move operation does not apply: doc is missing from path: ${from}`,
    failed: `error in move for path: '${from.slice(from.lastIndexOf('/') + 1)}'`,
  };
  const value = complaining(source, () => draft.valueAt(from));
  remove(draft, from, source);
  add(draft, path, value, {
    noWay: `move operation does not apply: doc is missing destination path: ${path}`,
    failed: `error in move for path: '${path}'`,
  });
}

function copy(draft: JsonDraft, from: string, path: string, budget: Budget): void {
  const source: Complaints = {
    noWay: `copy operation does not apply: doc is missing from path: ${from}`,
    failed: `error in copy for from: '${from}'`,
  };
  const value = complaining(source, () => draft.valueAt(from));
  budget.copiedBytes += JSON.stringify(value).length;
  if (budget.copiedBytes > MAX_COPIED_BYTES) {
    const what = 'Unable to complete the copy, the accumulated size increase of copy is';
    throw tooLarge(`${what} ${budget.copiedBytes}, exceeding the limit ${MAX_COPIED_BYTES}`);
  }
  add(draft, path, value, {
    noWay: `copy operation does not apply: doc is missing destination path: ${path}`,
    failed: 'error while adding value during copy',
  });
}

/** Compares a value. A missing value equals null. */
function test(draft: JsonDraft, path: string, value: unknown): void {
  const complaints: Complaints = {
    noWay: `test operation does not apply: is missing path: ${path}`,
    failed: `error in test for path: '${path}'`,
  };
  if (
    isSameJson(
      complaining(complaints, () => valueOrNull(draft, path)),
      value,
    )
  )
    return;
  throw rejectedRequest(`testing value ${path} failed: test failed`);
}

function valueOrNull(draft: JsonDraft, path: string): unknown {
  try {
    return draft.valueAt(path);
  } catch (error) {
    if (error instanceof PointerError && error.trouble === 'no key') return null;
    throw error;
  }
}
