/**
 * Exit codes of podrun. `apply` also passes on the exit code of its `-- COMMAND`.
 * @see docs/exit-codes.md
 */
export const EXIT = {
  ok: 0,
  /** A Pod Failed, the goal of a wait cannot be met, or a request was refused. */
  failed: 1,
  /** The command line or the manifest is wrong: podrun has started nothing. */
  usage: 2,
  timeout: 124,
  /** From here on 128 + the number of the signal, as in a shell. SIGHUP: the terminal is gone. */
  hungUp: 129,
  interrupted: 130,
  /** SIGPIPE: the output has no reader. */
  nobodyReads: 141,
  terminated: 143,
} as const;

/**
 * An error for the user: one clear sentence without a stack trace. podrun prints `message` as it is, and `hint` on a
 * line of its own.
 */
export class PodrunError extends Error {
  override readonly name: string = 'PodrunError';
  readonly exitCode: number;
  /** The next step for the user, one sentence. */
  readonly hint: string | undefined;

  constructor(message: string, detail: { exitCode?: number; hint?: string | undefined; cause?: unknown } = {}) {
    super(message, detail.cause === undefined ? undefined : { cause: detail.cause });
    this.exitCode = detail.exitCode ?? EXIT.failed;
    this.hint = detail.hint;
  }
}
