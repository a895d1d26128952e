import { everyResourceType, type ResourceType, resourceTypeNamed } from '../../api/index.ts';
import type { TypedWords } from './typed-words.ts';

/** A completion of the word, and a note about it. */
export interface Candidate {
  readonly value: string;
  readonly note?: string | undefined;
}

/** The completions: words, or files or folders, which the shell lists itself. */
export type Completions = readonly Candidate[] | 'files' | 'folders';

/** The stored names; see stored-names.ts. A method may throw when it cannot read the store. */
export interface Names {
  objects(resource: string, namespace: string): readonly string[];
  namespaces(): readonly string[];
  containers(namespace: string, pod: string): readonly string[];
  ports(namespace: string, pod: string): ReadonlyArray<{ readonly port: number; readonly note: string }>;
  runs(namespace: string): readonly string[];
}

/** The command line, the word that is being typed, and the stored names. */
export interface CompletionRequest extends TypedWords {
  readonly names: Names;
  readonly current: string;
}

/** The name of the Pod in the words so far. */
export function podNameIn([first = '', second]: readonly string[]): string {
  if (first.includes('/')) return first.slice(first.indexOf('/') + 1);
  return second !== undefined && resourceTypeNamed(first) !== undefined ? second : first;
}

/** The names of the objects of a type, in the requested namespace. */
export function namesOfType(type: ResourceType, request: CompletionRequest): readonly string[] {
  const { names } = request;
  return type.kind === 'Namespace' ? names.namespaces() : names.objects(type.plural, requestedNamespace(request));
}

/** Words of the form TYPE/NAME. Undefined when the current word has no slash yet. */
export function typedNames(request: CompletionRequest): readonly string[] | undefined {
  const [, typeWord] = /^([^/]+)\//.exec(request.current) ?? [];
  if (typeWord === undefined) return undefined;
  const type = resourceTypeNamed(typeWord);
  return type === undefined ? [] : namesOfType(type, request).map((name) => `${typeWord}/${name}`);
}

/** Words of the form `TYPE/`, for all types. */
export function typesWithSlash(): Candidate[] {
  return everyResourceType().map(({ kind }) => ({ value: `${kind.toLowerCase()}/` }));
}

export function requestedNamespace({ values }: Pick<CompletionRequest, 'values'>): string {
  return values.get('namespace') || 'default';
}

/** Candidates without notes. */
export function plainCandidates(values: readonly string[]): Candidate[] {
  return values.map((value) => ({ value }));
}
