import type { ObjectIdentity } from '../check/identify.ts';

/** A finding about a place in a manifest. Levels have the names of SARIF. */
export interface Finding {
  /** A note names a part that was not checked, and the reason. */
  readonly level: 'error' | 'warning' | 'note';
  readonly rule: FindingRule;
  /** The file as given. `STDIN` for standard input. */
  readonly file: string;
  /** From 1. */
  readonly line: number;
  /** From 1, in UTF-16 units. */
  readonly column: number;
  /** The text of the line. May be empty. */
  readonly excerpt: string;
  /** The object. Undefined: no object could be read. */
  readonly object: FoundObject | undefined;
  /** The field, `spec.containers[0].image`. Empty for the whole object. */
  readonly path: string;
  /** One sentence in the words of the API server, with the path. */
  readonly message: string;
  /** A short advice. */
  readonly hint: string | undefined;
}

/** An object in findings. Missing parts of its manifest are empty. */
export type FoundObject = Omit<ObjectIdentity, 'generateName'>;

/** The findings in a set of files. */
export interface Findings {
  /** Ordered by file and line. */
  readonly findings: readonly Finding[];
  /** The errors of unreadable files: whole sentences. */
  readonly unreadable: readonly string[];
  /** The number of files. */
  readonly files: number;
  /** The number of checked objects. */
  readonly objects: number;
}

/** The rules with a sentence about each. The names are output for programs: they do not change. */
export const FINDING_RULES = {
  'parse-error': 'The document is not valid YAML or JSON, or not an object.',
  'missing-kind': 'A manifest needs apiVersion and kind.',
  'unknown-kind': 'Kubernetes has no such kind in this apiVersion.',
  'undefined-kind': 'No CustomResourceDefinition of manifests or state folder defines it, or its version was removed.',
  'unknown-field': 'The type has no such field; an API server would refuse or drop it.',
  'duplicate-field': 'A field is given twice.',
  'invalid-type': 'The value has another type than the field.',
  'required-value': 'The field needs a value.',
  'invalid-value': 'The value breaks a rule of the field.',
  'unsupported-value': 'The field takes one of a few values, and has another.',
  'duplicate-value': 'The value must be unique.',
  'not-found': 'The value names something that the object does not have.',
  forbidden: 'The field may not be set here.',
  'size-limit': 'The value is too long or too short, or there are too many or too few.',
  'server-warning': 'The API server accepts it with this warning.',
  'loose-reference': 'The field names something that none of the checked objects has; it may be elsewhere.',
  'not-runnable': 'podrun cannot run it without changes; a cluster can.',
  'no-effect': 'The field has no effect in podrun, but it has one on a cluster.',
  'not-checked': 'It was not checked: it is no manifest, or podrun does not know the fields of its kind.',
} as const;

export type FindingRule = keyof typeof FINDING_RULES;
