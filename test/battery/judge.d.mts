/** One answer that differs, and where. */
export interface Answer {
  readonly key: string;
  readonly found: readonly {
    readonly at: string;
    readonly what?: string;
    readonly real?: unknown;
    readonly podrun?: unknown;
  }[];
}
/** Why answers differ: those whose keys match a pattern, at all places or at those that match `at`. */
export interface Entry {
  readonly reason: string;
  readonly keys: readonly string[];
  readonly at?: string;
  /** Whether they differ in some runs only. */
  readonly sometimes?: boolean;
}
export interface Verdict {
  readonly unexplained: readonly { readonly key: string; readonly at: string }[];
  readonly idle: readonly string[];
}
export function differing(answers: readonly Answer[]): readonly Answer[];
export function judge(answers: readonly Answer[], entries: readonly Entry[]): Verdict;
export function tableOf(entries: readonly Entry[]): string;
