/**
 * Exit codes of podrun. `apply` passes the code of its own `-- COMMAND` through; everything else is here.
 * @see docs/exit-codes.md
 */
export const EXIT = {
  ok: 0,
  /** A Pod Failed, or the goal of a wait cannot be met, or a request was refused. */
  failed: 1,
  /** The command line or the manifest is wrong; nothing was started. */
  usage: 2,
  timeout: 124,
  /** From here on 128 + the number of the signal, as a shell tells it. SIGHUP: the terminal is gone. */
  hungUp: 129,
  interrupted: 130,
  /** SIGPIPE: nobody reads the output any more. */
  nobodyReads: 141,
  terminated: 143,
} as const;

/**
 * A mistake or a mishap that the user should read: one clear sentence, no stack trace.
 * `message` is printed as it stands, `hint` on a line of its own.
 */
export class PodrunError extends Error {
  override readonly name: string = 'PodrunError';
  readonly exitCode: number;
  /** What to do next, one sentence. */
  readonly hint: string | undefined;

  constructor(message: string, detail: { exitCode?: number; hint?: string | undefined; cause?: unknown } = {}) {
    super(message, detail.cause === undefined ? undefined : { cause: detail.cause });
    this.exitCode = detail.exitCode ?? EXIT.failed;
    this.hint = detail.hint;
  }
}
