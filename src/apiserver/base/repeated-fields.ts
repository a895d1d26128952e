import type { PatchType } from '../../api/index.ts';
import {
  readDocument,
  readJson,
  repeatedKeys,
  SourceError,
  type SourceNode,
  SourceText,
} from '../../manifest/index.ts';
import type { ApiRequest } from './request.ts';
import { badRequestStatus } from './status-error.ts';
import { fieldValidation } from './write-options.ts';

/** Sentences about the fields that a JSON text has twice: `duplicate field "spec.paused"`. */
export function repeatedFields(root: SourceNode): string[] {
  return repeatedKeys(root).map(({ path }) => `duplicate field ${JSON.stringify(path)}`);
}

/** The same about the body of a patch. None for a patch whose body is no part of an object, and for what is no JSON. */
export function repeatedInPatch(body: Buffer, type: PatchType | 'apply'): string[] {
  if (type !== 'merge' && type !== 'strategic') return [];
  try {
    return readJson(body.toString('utf8')).flatMap(repeatedFields);
  } catch (error) {
    if (error instanceof SourceError) return [];
    throw error;
  }
}

/**
 * Refuses an applied manifest with repeated keys, or warns of them, as the request says. Other mistakes come first: it
 * is called after the merge. Source: apiserver/pkg/endpoints/handlers/patch.go, applyPatcher.
 * @throws {StatusError} 400
 */
export function tellRepeatedKeys(body: Buffer, request: ApiRequest): void {
  const mode = fieldValidation(request);
  if (mode === 'Ignore') return;
  const source = new SourceText(body.toString('utf8'), 1);
  const [root] = readDocument({ source });
  const lines = (root === undefined ? [] : repeatedKeys(root)).map(
    ({ key, offset }) => `line ${source.positionAt(offset).line}: key ${JSON.stringify(key)} already set in map`,
  );
  if (lines.length === 0) return;
  const problem = ['error converting YAML to JSON: yaml: unmarshal errors:', ...lines].join('\n  ');
  if (mode === 'Strict') throw badRequestStatus(`error strict decoding YAML: ${problem}`);
  request.warn(problem);
}
