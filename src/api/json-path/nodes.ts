/** A part of a JSONPath: one step further in, a literal, or a word of the template. */
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

/** Steps one after the other: what stands between two braces. */
export interface PathList {
  readonly type: 'list';
  readonly nodes: readonly PathNode[];
}

/** An end of a slice, or its step; undefined where it is left out. Negative ones count from the end. */
export interface Bound {
  readonly value: number | undefined;
}

/** A number that was written with a point: Go compares it with no integer. */
export class FloatLiteral {
  readonly value: number;

  constructor(value: number) {
    this.value = value;
  }
}

/** What is wrong with a path, or with what it was asked of, in the words of client-go. */
export class JsonPathError extends Error {
  override readonly name = 'JsonPathError';
}
