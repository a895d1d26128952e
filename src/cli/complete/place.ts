import { resourceTypeNamed } from '../../api/resource-types.ts';
import type { CommandLine } from './command-line.ts';

/** One thing that the word being typed can become, and what to tell of it. */
export interface Candidate {
  readonly value: string;
  readonly note?: string | undefined;
}

/** What can stand in a place: some words, or files or folders, which the shell knows better. */
export type Choice = readonly Candidate[] | 'files' | 'folders';

/** The names that can be completed with; see stored-names.ts. They may throw where there is nothing to read. */
export interface Names {
  objects(resource: string, namespace: string): readonly string[];
  namespaces(): readonly string[];
  containers(namespace: string, pod: string): readonly string[];
  ports(namespace: string, pod: string): ReadonlyArray<{ readonly port: number; readonly note: string }>;
  runs(namespace: string): readonly string[];
}

/** What is known where a word is being typed. */
export interface Place extends CommandLine {
  readonly names: Names;
  readonly current: string;
}

/** The Pod that the words before are about. */
export function podIn([first = '', second]: readonly string[]): string {
  if (first.includes('/')) return first.slice(first.indexOf('/') + 1);
  return second !== undefined && resourceTypeNamed(first) !== undefined ? second : first;
}

export function namespaceOf({ values }: Pick<Place, 'values'>): string {
  return values.get('namespace') || 'default';
}

/** Candidates of which nothing is told. */
export function plain(values: readonly string[]): Candidate[] {
  return values.map((value) => ({ value }));
}
