/** A difference between two runs. */
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
  /** The differing part, for people: `phases`, `condition Ready`, `exit of run 2`. */
  readonly what: string;
  /** The value in the first run, for people. `b` is the value in the second run. */
  readonly a: string;
  readonly b: string;
  /** The durations, in milliseconds. Only for differences in time. */
  readonly aMs?: number;
  readonly bMs?: number;
}

/** The tolerated difference of times. The larger of both limits counts. */
export interface Tolerance {
  /** A part of the time in the first run: 0.2 is a fifth. */
  readonly share: number;
  readonly minMs: number;
}
