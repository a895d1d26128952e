import type { ProbeType } from './probe.ts';

/**
 * What came of one probe. A failure is the container's answer and counts; an error means that the probe could not be
 * carried out, and is thrown away.
 */
export type ProbeOutcome =
  | { readonly result: 'success' | 'warning' | 'failure' | 'unknown'; readonly output: string }
  /** `state` is what kubelet calls the outcome in the event; `unknown` where nothing is said. */
  | { readonly result: 'error'; readonly output: string; readonly state?: 'unknown' | 'failure' };

export interface ProbeEvent {
  readonly container: string;
  readonly type: 'Warning';
  readonly reason: 'Unhealthy' | 'ProbeWarning';
  readonly message: string;
}

const TITLE: Readonly<Record<ProbeType, string>> = { startup: 'Startup', liveness: 'Liveness', readiness: 'Readiness' };

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
export function outcomeEvent(container: string, type: ProbeType, outcome: ProbeOutcome): ProbeEvent | undefined {
  const { output } = outcome;
  switch (outcome.result) {
    case 'success':
    case 'unknown':
      return undefined;
    case 'warning':
      return warning(container, 'ProbeWarning', `${TITLE[type]} probe warning: ${output}`);
    case 'failure':
      return warning(container, 'Unhealthy', `${TITLE[type]} probe failed: ${output}`);
    case 'error': {
      const state = outcome.state ?? 'unknown';
      return warning(container, 'Unhealthy', `${TITLE[type]} probe errored and resulted in ${state} state: ${output}`);
    }
    default:
      return outcome satisfies never;
  }
}

function warning(container: string, reason: ProbeEvent['reason'], message: string): ProbeEvent {
  return { container, type: 'Warning', reason, message };
}
