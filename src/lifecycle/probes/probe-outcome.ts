import type { ProbeType } from './probe.ts';
import { probeErrored, probeWarning, unhealthy } from '../texts/events.ts';
import type { EventDraft } from '../texts/event-draft.ts';

/** The raw answer of the probed program. */
export interface ProbeAnswer {
  readonly exitCode?: number;
  readonly httpStatus?: number;
  /** The answer of the health service (`NOT_SERVING`), or the code of the call (`Unimplemented`). */
  readonly grpcStatus?: string;
  /** The reason for a missing connection, for example `ECONNREFUSED`. */
  readonly errno?: string;
}

/**
 * The outcome of one probe. A failure is the container's answer and counts. An error means that the probe could not be
 * carried out: it does not count.
 */
export type ProbeOutcome = { readonly answer?: ProbeAnswer } & (
  | {
      readonly result: 'success' | 'warning' | 'failure' | 'unknown';
      readonly output: string;
      readonly timedOut?: boolean;
    }
  /** `state` is the outcome's name in the kubelet's event. Undefined means `unknown`. */
  | { readonly result: 'error'; readonly output: string; readonly state?: 'unknown' | 'failure' }
);

const SUCCESSES: Readonly<Record<ProbeOutcome['result'], boolean | undefined>> = {
  success: true,
  warning: true,
  failure: false,
  unknown: false,
  error: undefined,
};

/**
 * True for a success, false for a failure, undefined for an error, which does not count. Source:
 * pkg/kubelet/prober/prober.go probe.
 */
export function countsAsSuccess({ result }: ProbeOutcome): boolean | undefined {
  return SUCCESSES[result];
}

/** The event of an outcome, also below the threshold. A success has none. Source: prober.go probe. */
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
