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
  readerGone: 141,
  terminated: 143,
} as const;

/** The kind of an error. Where Kubernetes has a reason for it (`reason` of a Status), the code is that reason. */
export type ErrorCode =
  /** The command line, an option, a variable or podrun.yaml is wrong. */
  | 'Usage'
  /** A manifest is wrong or cannot be read. */
  | 'InvalidManifest'
  /** This machine, or podrun, cannot do what was asked. Nothing was started. */
  | 'Unsupported'
  | 'BadRequest'
  | 'NotFound'
  | 'AlreadyExists'
  /** Another client has changed the object or holds it. */
  | 'Conflict'
  | 'Forbidden'
  /** The credentials for a cluster are missing, wrong or out of date. */
  | 'Unauthorized'
  /** The version that a watch asks for is too old. */
  | 'Expired'
  /** The rules for objects refuse a change, or what was received is damaged. */
  | 'Invalid'
  | 'RequestEntityTooLarge'
  | 'InternalError'
  /** The Pod or the container has ended, or does not run yet. */
  | 'NotRunning'
  /** The process that runs the Pod, or a program in it, does not answer. */
  | 'Unreachable'
  /** A wait ended without its goal: kubectl's time limit passed, or the goal cannot be reached any more. */
  | 'GoalNotReached'
  /** The time limit of a run passed. */
  | 'Timeout'
  /** A file cannot be read or written: the disk is full, read-only, broken, … */
  | 'Disk';

const EXIT_CODES: Readonly<Record<ErrorCode, number>> = {
  Usage: EXIT.usage,
  InvalidManifest: EXIT.usage,
  Unsupported: EXIT.usage,
  BadRequest: EXIT.failed,
  NotFound: EXIT.failed,
  AlreadyExists: EXIT.failed,
  Conflict: EXIT.failed,
  Forbidden: EXIT.failed,
  Unauthorized: EXIT.failed,
  Expired: EXIT.failed,
  Invalid: EXIT.failed,
  RequestEntityTooLarge: EXIT.failed,
  InternalError: EXIT.failed,
  NotRunning: EXIT.failed,
  Unreachable: EXIT.failed,
  GoalNotReached: EXIT.failed,
  Timeout: EXIT.timeout,
  Disk: EXIT.failed,
};

/** A mistake in a field, as the validation of manifests finds it. */
export interface ErrorCause {
  readonly path: string;
  readonly type: string;
  readonly value?: string;
  readonly detail: string;
}

interface ErrorDetail {
  readonly path?: string | undefined;
  readonly hint?: string | undefined;
  readonly cause?: unknown;
  readonly causes?: readonly ErrorCause[] | undefined;
  readonly objectName?: string | undefined;
}

/** An error for the user: a clear sentence without a stack trace. `errorText` is how it is printed. */
export class PodrunError extends Error {
  override readonly name: string = 'PodrunError';
  /** Marks errors of podrun: the command line and the server are built apart, each with a class of its own. */
  readonly isOfPodrun: true = true;
  readonly code: ErrorCode;
  /** The place of the mistake: a file, with line and column if known, or a field. Undefined: the message says all. */
  readonly path: string | undefined;
  /** The next step for the user, one sentence. */
  readonly hint: string | undefined;
  /** The mistakes behind a refused object. Undefined: the message says all. */
  readonly causes: readonly ErrorCause[] | undefined;

  /** The name of the object that the error is about. Undefined: nothing but the message tells. */
  readonly objectName: string | undefined;

  constructor(code: ErrorCode, message: string, { path, hint, cause, causes, objectName }: ErrorDetail = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.path = path;
    this.hint = hint;
    this.causes = causes;
    this.objectName = objectName;
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    if (this !== PodrunError) return Function.prototype[Symbol.hasInstance].call(this, value);
    return typeof value === 'object' && value !== null && 'isOfPodrun' in value;
  }

  /** The exit code of a command that ends with this error. */
  get exitCode(): number {
    return EXIT_CODES[this.code];
  }
}

/** True for an error of podrun with this code. */
export function hasCode(error: unknown, code: ErrorCode): error is PodrunError {
  return error instanceof PodrunError && error.code === code;
}

/** The error of a wrong command line, option, variable or podrun.yaml. */
export function usage(message: string, hint?: string): PodrunError {
  return new PodrunError('Usage', message, { hint });
}

/**
 * The error of a run that this machine, or podrun, cannot carry out as requested.
 * @param remedy a sentence about another way
 */
export function refusedStart(message: string, remedy: string): PodrunError {
  return new PodrunError('Unsupported', message, { hint: `Nothing was started. ${remedy}` });
}

/** An error of the API server, as kubectl words it. Source: staging/src/k8s.io/kubectl/pkg/cmd/util/helpers.go. */
export function fromServer(code: ErrorCode, message: string, hint?: string): PodrunError {
  return new PodrunError(code, `Error from server (${code}): ${message}`, { hint });
}

/** The API server's error about an object that does not exist. */
export function noSuchObject(resource: string, name: string, hint?: string): PodrunError {
  return fromServer('NotFound', `${resource} ${JSON.stringify(name)} not found`, hint);
}

/** The beginnings of messages that kubectl prints without `error: `, and of those with an `error: ` in each line. */
const COMPLETE = /^(error: |Error from server|The (request|\w+ ".*") is invalid|the server doesn't )/;

/** The message of whatever was thrown. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The lines that podrun prints for an error: the message as kubectl words it, and below it the hint. */
export function errorText({ message, hint }: { message: string; hint?: string | undefined }): string {
  const first = COMPLETE.test(message) ? message : `error: ${message}`;
  return hint === undefined ? `${first}\n` : `${first}\n${hint}\n`;
}
