/** What podrun makes of a field; the words are those of `podrun explain --support`. */
export type Treatment =
  /** As on a node. */
  | 'works'
  /** With a difference that the note tells. */
  | 'partly'
  /** Checked and kept; it means nothing to a node, so it means nothing here. */
  | 'checked'
  /** Taken, and nothing follows from it: an event says so. */
  | 'no effect'
  /** An error: without it, the Pod would be something else. */
  | 'refused'
  /** Known, and left out with a warning: its feature is off in this version of Kubernetes. */
  | 'dropped'
  /** podrun writes it; what a manifest says is left out, as on a cluster. */
  | 'read-only';

/** How podrun treats one field of a type, for Pods that run as plain processes of the host. */
export interface FieldRule {
  readonly treatment: Treatment;
  /** Why, or what is different: one short sentence, which is also the text of the event or error. */
  readonly note: string;
  /**
   * Of a field without effect or refused, values that change nothing: defaults, and what is so anyway. Empty text,
   * lists and objects always count.
   * @param name of the field, or the key of the entry of a map
   */
  readonly isHarmless?: (value: unknown, parent: Readonly<Record<string, unknown>>, name: string) => boolean;
  /** The text of the error, where it depends on the value. */
  readonly reason?: (value: unknown) => string;
  /** So it is for processes of the host; containers with a view of their own have the field as on a node. */
  readonly worksApart?: true;
  /** People rely on it to be kept safe: said aloud at once, not only in an event. */
  readonly isSafety?: true;
}

/** The rules of a type by field, in the order in which events name them. */
export type TypeRules = Readonly<Record<string, FieldRule>>;

/** Rules by the names that types have in the table of fields. What a type does not list, it does not have. */
export type SupportTable = Readonly<Record<string, TypeRules>>;

/** Does the rule of a field hold for everything below it, too? Otherwise the fields of its type have their own. */
export function coversBelow({ treatment }: FieldRule): boolean {
  return treatment !== 'works' && treatment !== 'partly';
}

/** @param fields names of fields that all work as on a node */
export function works(...fields: readonly string[]): TypeRules {
  return Object.fromEntries(fields.map((field) => [field, { treatment: 'works', note: '' }]));
}

export const partly = (note: string): FieldRule => ({ treatment: 'partly', note });

export const checked = (note: string): FieldRule => ({ treatment: 'checked', note });

export function noEffect(note: string, isHarmless?: FieldRule['isHarmless']): FieldRule {
  return { treatment: 'no effect', note, ...(isHarmless === undefined ? {} : { isHarmless }) };
}

/** Without effect, and relied on. */
export function unsafe(note: string, isHarmless?: FieldRule['isHarmless']): FieldRule {
  return { ...noEffect(note, isHarmless), isSafety: true };
}

/** Without effect for processes of the host; containers with a view of their own have the field as on a node. */
export function unlessApart(rule: FieldRule): FieldRule {
  return { ...rule, worksApart: true };
}

/** What is told of a rule to those who do not know yet how their containers will run. */
export function inGeneral({ treatment, note, worksApart }: FieldRule): Pick<FieldRule, 'treatment' | 'note'> {
  return worksApart
    ? { treatment: 'partly', note: `in the namespace tier; else ${treatment}: ${note}` }
    : { treatment, note };
}

export const refused = (note: string): FieldRule => ({ treatment: 'refused', note });

export const DROPPED: FieldRule = { treatment: 'dropped', note: 'its feature is off in Kubernetes v1.36' };

export const READ_ONLY: FieldRule = { treatment: 'read-only', note: 'podrun writes it' };

/** An object whose fields are treated differently. */
export const FIELD_BY_FIELD: FieldRule = partly('see its fields');

export const is =
  (...values: readonly unknown[]) =>
  (value: unknown): boolean =>
    values.includes(value);
