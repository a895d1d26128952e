/** The end of exec or attach, as reported to a client. A Status without kind and code, as the API server sends it. */
export interface StreamOutcome {
  readonly metadata: Record<string, never>;
  readonly status: 'Success' | 'Failure';
  readonly message?: string;
  readonly reason?: string;
  readonly details?: { readonly causes: ReadonlyArray<{ readonly reason?: string; readonly message: string }> };
  readonly code?: number;
}

export const SUCCESS_OUTCOME: StreamOutcome = { metadata: {}, status: 'Success' };

/** The outcome of a command. Source: apimachinery/pkg/util/remotecommand, cri-streaming/pkg/remotecommand/exec.go. */
export function exitOutcome(exitCode: number): StreamOutcome {
  if (exitCode === 0) return SUCCESS_OUTCOME;
  return {
    metadata: {},
    status: 'Failure',
    message: `command terminated with non-zero exit code: exit status ${exitCode}`,
    reason: 'NonZeroExitCode',
    details: { causes: [{ reason: 'ExitCode', message: String(exitCode) }] },
  };
}

/** The outcome of a command that could not run, or whose end is unknown. Source: apimachinery NewInternalError. */
export function internalOutcome(why: string): StreamOutcome {
  return {
    metadata: {},
    status: 'Failure',
    message: `Internal error occurred: ${why}`,
    reason: 'InternalError',
    details: { causes: [{ message: why }] },
    code: 500,
  };
}

/**
 * The bytes for the client. Older protocols have no Status.
 * @returns undefined when there is nothing to tell
 */
export function encodeOutcome(outcome: StreamOutcome, hasStatus: boolean): Buffer | undefined {
  if (hasStatus) return Buffer.from(JSON.stringify(outcome));
  return outcome.status === 'Success' ? undefined : Buffer.from(outcome.message ?? '');
}
