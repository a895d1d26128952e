/** What is to be said about a place in a manifest. The words for levels are those of SARIF. */
export interface Finding {
  /** A note says what was not looked at, and why. */
  readonly level: 'error' | 'warning' | 'note';
  readonly rule: FindingRule;
  /** As it was given; `STDIN` for standard input. */
  readonly file: string;
  /** From 1. */
  readonly line: number;
  /** From 1, in UTF-16 units. */
  readonly column: number;
  /** What the line says; empty where it says nothing. */
  readonly excerpt: string;
  /** The object that it is about; undefined where none could be read. */
  readonly object: FoundObject | undefined;
  /** The field that it is about, `spec.containers[0].image`; empty for the whole object. */
  readonly path: string;
  /** One sentence in the words of the API server, with the path. */
  readonly message: string;
  /** What to do, a short phrase. */
  readonly hint: string | undefined;
}

/** An object as findings name it; what its manifest does not say is empty. */
export interface FoundObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** What was found in a set of files. */
export interface Findings {
  /** In the order of files, and of lines within each. */
  readonly findings: readonly Finding[];
  /** What could not be read at all: whole sentences. */
  readonly unreadable: readonly string[];
  /** How many files were read. */
  readonly files: number;
  /** How many objects were checked. */
  readonly objects: number;
}

/** Each rule with a sentence about it. The names are part of the output for programs: they stay. */
export const FINDING_RULES = {
  'parse-error': 'The document is not valid YAML or JSON, or not an object.',
  'missing-kind': 'A manifest says apiVersion and kind.',
  'unknown-kind': 'Kubernetes has no such kind in this apiVersion.',
  'unknown-field': 'The type has no such field; an API server would refuse or drop it.',
  'duplicate-field': 'A field is given twice; only one of them can count.',
  'invalid-type': 'The value has another type than the field.',
  'required-value': 'The field needs a value.',
  'invalid-value': 'The value breaks a rule of the field.',
  'unsupported-value': 'The field takes one of a few values, and this is none of them.',
  'duplicate-value': 'The value must be unique, and is not.',
  'not-found': 'The value names something that the object does not have.',
  forbidden: 'The field may not be set here.',
  'size-limit': 'The value is too long or too short, or there are too many or too few.',
  'server-warning': 'The API server takes it, with this warning.',
  'not-runnable': 'podrun cannot run it as it stands; a cluster can.',
  'no-effect': 'podrun takes the field, and nothing follows from it; on a cluster it has an effect.',
  'not-checked': 'It was not checked: it is no manifest, or of a kind whose fields podrun does not know.',
} as const;

export type FindingRule = keyof typeof FINDING_RULES;
