/** What a run is expected to do, as a file of expectations says it. Times are milliseconds. */

/** How often something happened, or a code: both ends included. */
export interface NumberRange {
  readonly min: number;
  readonly max: number;
  /** As it was written: `2`, `>=1`. */
  readonly text: string;
}

/** What something that happens may be recognized by. */
export type PatternKind =
  | 'phase'
  | 'condition'
  | 'started'
  | 'exited'
  | 'ready'
  | 'unready'
  | 'waiting'
  | 'event'
  | 'deleted';

/** Something that is to happen, or not to. */
export interface Pattern {
  readonly what: PatternKind;
  /** A phase, a type of condition, a container, or the reason of an event; nothing for `deleted`. */
  readonly subject: string;
  /** Of a condition. */
  readonly status?: string;
  /** Which run of the container, from 1 on. */
  readonly run?: number;
  /** Of an exit. */
  readonly code?: NumberRange;
  /** Of an exit, a condition, or of waiting. */
  readonly reason?: string;
  /** Part of the message of an event. */
  readonly message?: string;
}

/** A pattern where it was written. */
export interface WrittenPattern {
  readonly pattern: Pattern;
  /** No later, and no earlier, than this after the step before it, or after the creation of the Pod. */
  readonly withinMs?: number;
  readonly afterMs?: number;
  /** `FILE:LINE`. */
  readonly place: string;
}

/** A value where it was written. */
export interface Written<T> {
  readonly value: T;
  /** `FILE:LINE`. */
  readonly place: string;
}

/** How a Pod is to be in the end. Maps are by container, but for conditions, which are by type. */
export interface FinalState {
  readonly phase?: Written<string>;
  readonly reason?: Written<string>;
  readonly conditions: ReadonlyMap<string, Written<string>>;
  readonly restarts: ReadonlyMap<string, Written<NumberRange>>;
  readonly exitCodes: ReadonlyMap<string, Written<NumberRange>>;
  readonly reasons: ReadonlyMap<string, Written<string>>;
}

/** One document of a file of expectations. */
export interface Expectation {
  /** `FILE:LINE` of its beginning. */
  readonly place: string;
  /** The Pod that it is about; undefined: any. */
  readonly pod?: string;
  /** The whole run is to be over by then. */
  readonly withinMs?: Written<number>;
  /** One after the other; of each step, all in any order. */
  readonly steps: ReadonlyArray<readonly WrittenPattern[]>;
  readonly never: readonly WrittenPattern[];
  /** The phases, all of them, in order. */
  readonly phases?: Written<readonly string[]>;
  /** How often events of a reason are to come. */
  readonly events: ReadonlyMap<string, Written<NumberRange>>;
  readonly final: FinalState;
}
