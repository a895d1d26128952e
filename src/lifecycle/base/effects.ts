import type { PodFacts } from './facts.ts';
import type { ImageNeed } from './image-types.ts';
import type { EventDraft } from '../texts/events.ts';

/** A task for the agent. The agent reports the result to `observe` as an observation. */
export type Effect =
  | { readonly type: 'createSandbox' }
  | { readonly type: 'stopSandbox' }
  | { readonly type: 'start'; readonly container: string; readonly id: string; readonly attempt: number }
  /** Looks an image up, and pulls it when its policy asks for that and no back-off is under way. */
  | { readonly type: 'ensureImage'; readonly need: ImageNeed; readonly mayPull: boolean }
  | { readonly type: 'runPostStart'; readonly container: string; readonly id: string }
  /** Aborts the hook if it still runs. */
  | { readonly type: 'cancelPostStart'; readonly container: string; readonly id: string }
  | { readonly type: 'runPreStop'; readonly container: string; readonly id: string }
  | { readonly type: 'signal'; readonly container: string; readonly id: string }
  | { readonly type: 'kill'; readonly container: string; readonly id: string }
  | { readonly type: 'event'; readonly event: EventDraft }
  /** Releases the Pod: the last status is written. */
  | { readonly type: 'finish' };

/** The facts after a step and the effects that the step asks for. */
export interface Step {
  readonly facts: PodFacts;
  readonly effects: readonly Effect[];
}

/** @param event one of texts/events.ts */
export function eventEffect(event: EventDraft): Effect {
  return { type: 'event', event };
}
