/** One line of a Pod's hook journal: a postStart or preStop hook was run once. */
export interface HookRun {
  /** When it began, RFC 3339 with microseconds. */
  readonly time: string;
  readonly container: string;
  readonly restartCount: number;
  readonly hook: 'postStart' | 'preStop';
  /** As `kubectl describe` has it: `exec [sh -c drain]`. */
  readonly handler: string;
  /** Until it returned, or was broken off because its container was at its end. */
  readonly durationMs: number;
  readonly result: 'success' | 'failure';
  /** Of a failure: the beginning of what went wrong, in kubelet's words. */
  readonly message?: string;
  /** The exit code of a command that failed. */
  readonly exitCode?: number;
  /** Of a failure: the end of what the command printed, or why the hook could not be carried out. */
  readonly output?: string;
}
