/** A part of a JSONPath: a step, a literal, or a word of the template. */
export type PathNode =
  | PathList
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'field'; readonly name: string }
  | { readonly type: 'word'; readonly word: string }
  | {
      readonly type: 'slice';
      readonly from: Bound;
      readonly to: Bound & { readonly derived?: boolean };
      readonly step: Bound;
    }
  | { readonly type: 'filter'; readonly left: PathList; readonly right: PathList; readonly operator: string }
  | { readonly type: 'number'; readonly value: number | FloatLiteral }
  | { readonly type: 'bool'; readonly value: boolean }
  | { readonly type: 'wildcard' }
  | { readonly type: 'recursive' }
  | { readonly type: 'union'; readonly lists: readonly PathList[] };

/** Steps one after the other: the content of a pair of braces. */
export interface PathList {
  readonly type: 'list';
  readonly nodes: readonly PathNode[];
}

/** A bound or the step of a slice. Undefined: left out. Negative bounds count from the end. */
export interface Bound {
  readonly value: number | undefined;
}

/** A number with a decimal point. Go does not compare it with integers. */
export class FloatLiteral {
  readonly value: number;

  constructor(value: number) {
    this.value = value;
  }
}

/** An error of a path or of its evaluation, in the words of client-go. */
export class JsonPathError extends Error {
  override readonly name = 'JsonPathError';
}
