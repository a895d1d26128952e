/** One line of a Pod's hook journal: one run of a postStart or preStop hook. */
export interface HookRun {
  /** The beginning of the run, RFC 3339 with microseconds. */
  readonly time: string;
  readonly container: string;
  readonly restartCount: number;
  readonly hook: 'postStart' | 'preStop';
  /** The handler as `kubectl describe` shows it: `exec [sh -c drain]`. */
  readonly handler: string;
  /** The time until the hook returned, or was aborted at the end of its container. */
  readonly durationMs: number;
  readonly result: 'success' | 'failure';
  /** The beginning of the error, in the kubelet's words. Only after a failure. */
  readonly message?: string;
  /** The exit code of a command that failed. */
  readonly exitCode?: number;
  /** The end of the command's output, or the reason why the hook could not run. Only after a failure. */
  readonly output?: string;
}
