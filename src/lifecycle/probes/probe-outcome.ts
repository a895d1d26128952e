import type { EventDraft } from '../effects.ts';
import type { ProbeType } from './probe.ts';
import { probeErrored, probeWarning, unhealthy } from '../texts/events.ts';

/** What the program that was asked has answered, before anybody judged it. */
export interface ProbeAnswer {
  readonly exitCode?: number;
  readonly httpStatus?: number;
  /** What the health service answered (`NOT_SERVING`), or the code of the call (`Unimplemented`). */
  readonly grpcStatus?: string;
  /** Why there was no connection, for example `ECONNREFUSED`. */
  readonly errno?: string;
}

/**
 * What came of one probe. A failure is the container's answer and counts; an error means that the probe could not be
 * carried out, and is thrown away.
 */
export type ProbeOutcome = { readonly answer?: ProbeAnswer } & (
  | {
      readonly result: 'success' | 'warning' | 'failure' | 'unknown';
      readonly output: string;
      readonly timedOut?: boolean;
    }
  /** `state` is what kubelet calls the outcome in the event; `unknown` where nothing is said. */
  | { readonly result: 'error'; readonly output: string; readonly state?: 'unknown' | 'failure' }
);

/** Does the outcome speak for the container? Undefined: it says nothing. Source: pkg/kubelet/prober/prober.go probe. */
export function outcomeSpeaksFor(outcome: ProbeOutcome): boolean | undefined {
  switch (outcome.result) {
    case 'success':
    case 'warning':
      return true;
    case 'failure':
    case 'unknown':
      return false;
    case 'error':
      return undefined;
    default:
      return outcome satisfies never;
  }
}

/** The event that an outcome leaves, also below the threshold; most leave none. Source: prober.go probe. */
export function outcomeEvent(container: string, type: ProbeType, outcome: ProbeOutcome): EventDraft | undefined {
  const { output } = outcome;
  switch (outcome.result) {
    case 'success':
    case 'unknown':
      return undefined;
    case 'warning':
      return probeWarning(container, type, output);
    case 'failure':
      return unhealthy(container, type, output);
    case 'error':
      return probeErrored(container, type, { state: outcome.state ?? 'unknown', output });
    default:
      return outcome satisfies never;
  }
}
