/** A field of a kind, as `podrun explain` shows it. */
export interface ExplainedField {
  /** The path from the resource on, without indexes: `pod.spec.containers.image`. */
  readonly path: string;
  /** The type in kubectl's form: `string`, `[]Container`, `map[string]Quantity`. */
  readonly type: string;
  /** The support in podrun: `works`, `no effect` and so on. Undefined: podrun has no record for this kind. */
  readonly support: string | undefined;
  /** The reason or the difference. May be empty. */
  readonly note: string;
  /** The type that contains the field, as in the field table: `PodSpec`. */
  readonly owner: string;
  /**
   * The type of its values, as in the field table. For a list or a map, the type of its items: `Container`, `string`.
   */
  readonly valueType: string;
}

/** Kubernetes' description of a field. */
export interface FieldDescription {
  /** Several paragraphs without line breaks inside. */
  readonly text: string;
  readonly required?: true;
  /** The allowed texts of a closed set. */
  readonly values?: readonly string[];
}

/** Kubernetes' descriptions of types, by their names in the field table. Newer types are missing. */
export type Descriptions = Readonly<
  Record<string, { readonly text: string; readonly fields: Readonly<Record<string, FieldDescription>> }>
>;
