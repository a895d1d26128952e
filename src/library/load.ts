import { isJsonObject, type KubeObject, usage } from '../api/index.ts';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  formatFieldError,
  type Input,
  loadManifests,
  type LoadOptions,
  type ManifestMistake,
  renderManifestErrors,
  type UnreadObject,
} from '../manifest/index.ts';
import { ManifestError, type ManifestProblem } from './base/errors.ts';
import type { ManifestSource, ManifestText } from './base/types.ts';

/** The file name of a manifest that came as an object. Messages leave the position in it out. */
const OBJECT = 'object';
const PLACE_IN_OBJECT: RegExp = new RegExp(` \\(${OBJECT}(?: \\d+)?:\\d+:\\d+\\)`, 'g');

/** Removes positions in manifests that came as objects: they mean nothing to the caller. */
export function withoutPlaces(text: string): string {
  return text.replaceAll(PLACE_IN_OBJECT, '');
}

export interface LoadedSource {
  readonly objects: ReadonlyArray<{ readonly object: KubeObject; readonly written: KubeObject; readonly file: string }>;
  /** The objects that only an API server knows. */
  readonly unread: readonly UnreadObject[];
  readonly warnings: readonly string[];
}

/**
 * Reads manifests from files, URLs, texts and objects.
 * @param cwd folder that relative paths start from
 * @throws {ManifestError} with all mistakes in the manifests; {PodrunError} (usage) for a value that is no manifest
 */
export async function loadSource(
  source: ManifestSource,
  cwd: string,
  options: Pick<LoadOptions, 'namespace' | 'refusesWithoutEffect' | 'isolation'>,
): Promise<LoadedSource> {
  const files = inputsOf(source, cwd, 'run');
  const loaded = await loadManifests({ ...options, files, forRunning: true, keepsUnread: true });
  if (loaded.errors.length > 0) throw manifestError(loaded.errors);
  return loaded;
}

/**
 * The files, and the texts and objects as texts, for `loadManifests`.
 * @param call the function of the user's call
 * @throws {PodrunError} (usage) for a value that is no manifest
 */
export function inputsOf(source: ManifestSource, cwd: string, call: string): Array<string | Input> {
  let objects = 0;
  return flattened(source).map((input) => {
    if (typeof input === 'string' || input instanceof URL) return pathOf(input, cwd, call);
    if (isManifestText(input)) return textInput(input.name ?? 'manifest.yaml', input.yaml);
    objects += 1;
    return textInput(objects === 1 ? OBJECT : `${OBJECT} ${objects}`, objectText(input, call));
  });
}

function flattened(source: ManifestSource): ReadonlyArray<Exclude<ManifestSource, readonly ManifestSource[]>> {
  return Array.isArray(source) ? (source as readonly ManifestSource[]).flatMap(flattened) : [source];
}

/** The path of a manifest. Messages show it, so a path below the working directory is relative. */
function pathOf(source: string | URL, cwd: string, call: string): string {
  if (source instanceof URL && source.protocol !== 'file:') {
    throw usage(`${call}() reads manifests from files, not from ${source.protocol}//: ${source.href}`);
  }
  const file = source instanceof URL ? fileURLToPath(source) : source;
  if (file === '') throw usage(`${call}() needs the path of a manifest, but got an empty string`);
  if (cwd !== process.cwd()) return path.resolve(cwd, file);
  const short = path.relative(cwd, file);
  if (source instanceof URL) return short.startsWith('..') ? file : short;
  // The name `-` would mean standard input.
  return file === '-' ? './-' : file;
}

function isManifestText(source: object): source is ManifestText {
  // Callers in plain JavaScript may pass anything.
  return isJsonObject(source) && typeof source['yaml'] === 'string' && !('kind' in source);
}

function textInput(file: string, text: string): Input {
  return { file, bytes: Buffer.from(text) };
}

function objectText(source: unknown, call: string): string {
  if (isJsonObject(source)) return JSON.stringify(source);
  throw usage(
    `${call}() needs manifests: paths, objects or { yaml: text }, but got ${source === null ? 'null' : typeof source}`,
  );
}

/** The error with all mistakes in manifests. */
export function manifestError(mistakes: readonly ManifestMistake[]): ManifestError {
  const message = renderManifestErrors(mistakes)
    .map((line) => withoutPlaces(line.replace(/^error: /, '')))
    .join('\n');
  return new ManifestError(message, mistakes.map(problemOf));
}

function problemOf(mistake: ManifestMistake): ManifestProblem {
  if (mistake.stage === 'input') {
    const nowhere = { file: undefined, line: undefined, column: undefined, kind: undefined, name: undefined };
    return { ...nowhere, field: '', message: mistake.message, hint: undefined };
  }
  const { subject, error, position, stage } = mistake;
  const { identity } = subject;
  const isObject = subject.file === OBJECT || subject.file.startsWith(`${OBJECT} `);
  return {
    file: isObject ? undefined : subject.file,
    line: isObject ? undefined : position.line,
    column: isObject ? undefined : position.column,
    kind: identity.kind || undefined,
    name: identity.name || undefined,
    field: error.path,
    message: stage === 'parse' || stage === 'kind' || stage === 'strict' ? error.detail : formatFieldError(error),
    hint: error.hint,
  };
}
