/** A field of a kind, as `podrun explain` tells of it. */
export interface ExplainedField {
  /** From the resource on, without indexes: `pod.spec.containers.image`. */
  readonly path: string;
  /** As kubectl writes types: `string`, `[]Container`, `map[string]Quantity`. */
  readonly type: string;
  /** How podrun treats it: `works`, `no effect` and so on. Undefined: of this kind it is not on record. */
  readonly support: string | undefined;
  /** Why, or what is different; may be empty. */
  readonly note: string;
  /** The type that has the field, as the field table names it: `PodSpec`. */
  readonly owner: string;
  /** The type of its values, as the field table names it; in a list or a map, of each item: `Container`, `string`. */
  readonly valueType: string;
}

/** A field in the words of Kubernetes. */
export interface FieldDescription {
  /** Several paragraphs, without line breaks inside them. */
  readonly text: string;
  readonly required?: true;
  /** The texts that it may be, where they are a closed set. */
  readonly values?: readonly string[];
}

/** What Kubernetes says of its types, by the names of the field table. Types of later versions are not in it. */
export type Descriptions = Readonly<
  Record<string, { readonly text: string; readonly fields: Readonly<Record<string, FieldDescription>> }>
>;
