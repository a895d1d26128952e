import type { Tone } from '../painter.ts';

/** One thing that happened to a Pod, as a person would tell it. */
export interface Transition {
  /** When it was seen, milliseconds since 1970. */
  readonly atMs: number;
  /** Name of the Pod. */
  readonly pod: string;
  /** Name of the container it is about; undefined: the Pod as a whole. */
  readonly container?: string | undefined;
  readonly kind: 'change' | 'created' | 'scheduling' | 'container' | 'condition' | 'phase' | 'deletion' | 'event';
  /** What changed: `started (attempt 2)`, `exited with code 137 (SIGKILL) after 6s`, `Running and Ready`. */
  readonly text: string;
  /** Why, where that is known. */
  readonly why?: string | undefined;
  readonly tone: Tone;
}

/** A transition before it is known when and of which Pod. */
export type Change = Omit<Transition, 'atMs' | 'pod'>;
