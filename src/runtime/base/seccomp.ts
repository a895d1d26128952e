/*
 * Filters of system calls, as OCI runtimes take them, and as the kernel does. Source: opencontainers/runtime-spec,
 * config-linux.md (seccomp).
 */

/** An action of a filter, by its name in profiles. */
export type SeccompAction =
  | 'SCMP_ACT_ALLOW'
  | 'SCMP_ACT_ERRNO'
  | 'SCMP_ACT_KILL'
  | 'SCMP_ACT_KILL_THREAD'
  | 'SCMP_ACT_KILL_PROCESS'
  | 'SCMP_ACT_LOG'
  | 'SCMP_ACT_TRACE'
  | 'SCMP_ACT_TRAP';

/** A comparison, by its name in profiles. */
export type SeccompOperator = `SCMP_CMP_${'NE' | 'LT' | 'LE' | 'EQ' | 'GE' | 'GT' | 'MASKED_EQ'}`;

/** A condition about one argument of a call. Large numbers are texts: JSON has no exact ones. */
export interface SeccompArgument {
  readonly index: number;
  readonly value: number | string;
  /** The argument under the mask `value`, of MASKED_EQ. */
  readonly valueTwo?: number | string;
  readonly op: SeccompOperator;
}

/** A rule of a filter. All of its conditions must hold. */
export interface SeccompRule {
  readonly names: readonly string[];
  readonly action: SeccompAction;
  /** The error of ERRNO and TRACE. Default: EPERM. */
  readonly errnoRet?: number;
  readonly args?: readonly SeccompArgument[];
}

/** A filter as OCI runtimes take it. */
export interface SeccompFilter {
  readonly defaultAction: SeccompAction;
  readonly defaultErrnoRet?: number;
  readonly architectures: readonly string[];
  readonly flags?: readonly string[];
  readonly syscalls: readonly SeccompRule[];
}

/** A compiled filter of system calls. */
export interface SeccompProgram {
  /** The flags of seccomp(2). */
  readonly flags: number;
  /** The instructions, each of 8 bytes. */
  readonly hex: string;
}
