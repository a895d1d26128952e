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
}
