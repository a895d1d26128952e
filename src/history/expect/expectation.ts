/** The expectations of a run, as a file of expectations contains them. Times are milliseconds. */

/** A range of counts or exit codes. Both ends are included. */
export interface NumberRange {
  readonly min: number;
  readonly max: number;
  /** The range as written: `2`, `>=1`. */
  readonly text: string;
}

/** The kind of a happening in a pattern. */
export type PatternKind =
  | 'phase'
  | 'condition'
  | 'started'
  | 'exited'
  | 'ready'
  | 'unready'
  | 'waiting'
  | 'event'
  | 'scheduled'
  | 'nominated'
  | 'evicted'
  | 'deleted';

/** A pattern for happenings. */
export interface Pattern {
  readonly what: PatternKind;
  /** A phase, a type of condition, a container, the reason of an event, a node, an evictor. Empty for `deleted`. */
  readonly subject: string;
  /** The status of a condition. */
  readonly status?: string;
  /** The number of the container's run, from 1 on. */
  readonly run?: number;
  /** The exit code. */
  readonly code?: NumberRange;
  /** The reason of an exit, a condition or a wait. */
  readonly reason?: string;
  /** A part of the message of an event. */
  readonly message?: string;
}

/** A pattern with its place in the file. */
export interface WrittenPattern {
  readonly pattern: Pattern;
  /**
   * The latest time of the happening after the previous step, or after the creation of the Pod. `afterMs` is the
   * earliest.
   */
  readonly withinMs?: number;
  readonly afterMs?: number;
  /** `FILE:LINE`. */
  readonly place: string;
}

/** A value with its place in the file. */
export interface Written<T> {
  readonly value: T;
  /** `FILE:LINE`. */
  readonly place: string;
}

/** The expected state at the end of a run. Maps are by container, `conditions` is by type. */
export interface FinalState {
  readonly phase?: Written<string>;
  readonly reason?: Written<string>;
  /** The name of the node. */
  readonly node?: Written<string>;
  readonly conditions: ReadonlyMap<string, Written<string>>;
  readonly restarts: ReadonlyMap<string, Written<NumberRange>>;
  readonly exitCodes: ReadonlyMap<string, Written<NumberRange>>;
  readonly reasons: ReadonlyMap<string, Written<string>>;
}

/** One document of a file of expectations. */
export interface Expectation {
  /** The `FILE:LINE` where the document begins. */
  readonly place: string;
  /** The name of the Pod. Undefined: any Pod. */
  readonly pod?: string;
  /** The longest duration of the run. */
  readonly withinMs?: Written<number>;
  /** The steps in order. The patterns of one step may come in any order. */
  readonly steps: ReadonlyArray<readonly WrittenPattern[]>;
  readonly never: readonly WrittenPattern[];
  /** All phases in order. */
  readonly phases?: Written<readonly string[]>;
  /** The counts of events, by reason. */
  readonly events: ReadonlyMap<string, Written<NumberRange>>;
  readonly final: FinalState;
}
