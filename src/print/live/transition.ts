import type { Tone } from '../text/painter.ts';

/** A change of a Pod or of a workload in words. */
export interface Transition {
  /** The time at which it was seen, milliseconds since 1970. */
  readonly atMs: number;
  /** The name of the Pod or workload. */
  readonly pod: string;
  /** The kind of the workload. Undefined for a Pod. */
  readonly subject?: string | undefined;
  /** The name of the container. Undefined for the Pod as a whole. */
  readonly container?: string | undefined;
  readonly kind: 'change' | 'created' | 'scheduling' | 'container' | 'condition' | 'phase' | 'deletion' | 'event';
  /** The change: `started (attempt 2)`, `exited with code 137 (SIGKILL) after 6s`, `Running and Ready`. */
  readonly text: string;
  /** The reason, if it is known. */
  readonly why?: string | undefined;
  readonly tone: Tone;
}

/** A transition before its time and object are added. */
export type Change = Omit<Transition, 'atMs' | 'pod' | 'subject'>;
