/** Something that went another way in the other run. */
export interface Difference {
  readonly kind:
    | 'phases'
    | 'reason'
    | 'condition'
    | 'container'
    | 'restarts'
    | 'exit'
    | 'waiting'
    | 'ready'
    | 'event'
    | 'order'
    | 'duration';
  /** `Pod`, or the name of a container. */
  readonly subject: string;
  /** What differs, for people: `phases`, `condition Ready`, `exit of run 2`. */
  readonly what: string;
  /** What it was in either run, for people. */
  readonly a: string;
  readonly b: string;
  /** Of a duration: milliseconds. */
  readonly aMs?: number;
  readonly bMs?: number;
}

/** By how much times may differ without a word: by either of the two. */
export interface Tolerance {
  /** Of what it took in the first run: 0.2 is a fifth. */
  readonly share: number;
  readonly minMs: number;
}
