import type { PodFacts } from './facts.ts';

/** An event to be recorded; `container` gives it a field path. */
export interface EventDraft {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
  readonly container?: string;
  /** Who says it; undefined: the kubelet. What podrun says is said once, and never combined with anything. */
  readonly component?: 'podrun';
}

/** What the agent is asked to do. Doing it is somebody else's job; what came of it is told to `observe`. */
export type Effect =
  | { readonly type: 'createSandbox' }
  | { readonly type: 'stopSandbox' }
  | { readonly type: 'start'; readonly container: string; readonly id: string; readonly attempt: number }
  | { readonly type: 'runPostStart'; readonly container: string; readonly id: string }
  /** Break the hook off, if it still runs. */
  | { readonly type: 'cancelPostStart'; readonly container: string; readonly id: string }
  | { readonly type: 'runPreStop'; readonly container: string; readonly id: string }
  | { readonly type: 'signal'; readonly container: string; readonly id: string }
  | { readonly type: 'kill'; readonly container: string; readonly id: string }
  | { readonly type: 'event'; readonly event: EventDraft }
  /** The last status stands: give the Pod back. */
  | { readonly type: 'finish' };

/** The facts after a step, and what the step asks for. */
export interface Step {
  readonly facts: PodFacts;
  readonly effects: readonly Effect[];
}

/** @param event see texts/events.ts */
export function eventEffect(event: EventDraft): Effect {
  return { type: 'event', event };
}
