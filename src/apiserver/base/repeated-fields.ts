import type { PatchType } from '../../api/index.ts';
import { readJson, repeatedKeys, SourceError, type SourceNode, SourceText } from '../../manifest/index.ts';
import type { PatchBody } from './patch-body.ts';
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

/** A sentence about all keys that a body in YAML has twice. Source: sigs.k8s.io/yaml, YAMLToJSONStrict. */
export function repeatedInYaml(root: SourceNode, yaml: Buffer): string[] {
  return yamlProblem(root, new SourceText(yaml.toString('utf8'), 1));
}

function yamlProblem(root: SourceNode, source: SourceText): string[] {
  const lines = repeatedKeys(root).map(
    ({ key, offset }) => `line ${source.positionAt(offset).line}: key ${JSON.stringify(key)} already set in map`,
  );
  return lines.length === 0 ? [] : [['yaml: unmarshal errors:', ...lines].join('\n  ')];
}

/**
 * Refuses an applied manifest with repeated keys, or warns of them, as the request says. Other mistakes come first: it
 * is called after the merge. Source: apiserver/pkg/endpoints/handlers/patch.go, applyPatcher.
 * @throws {StatusError} 400
 */
export function tellRepeatedKeys({ root, source }: PatchBody, request: ApiRequest): void {
  const mode = fieldValidation(request);
  const [repeated] = mode === 'Ignore' || root === undefined ? [] : yamlProblem(root, source);
  if (repeated === undefined) return;
  const problem = `error converting YAML to JSON: ${repeated}`;
  if (mode === 'Strict') throw badRequestStatus(`error strict decoding YAML: ${problem}`);
  request.warn(problem);
}
