/** The total usage of one run of a container, as the kernel counted it. Uncounted fields are absent. */
export interface UsageTotals {
  /** The peak memory of its cgroup, including the page cache, which the kernel would reclaim first. */
  readonly groupPeakBytes?: number;
  /**
   * The peak memory of its processes, without the page cache: the sum over the processes at its stop. Shared pages
   * count for each process.
   */
  readonly processPeakBytes?: number;
  readonly cpuSeconds?: number;
  /** The periods under a CPU limit. `cpuPeriodsThrottled` counts those with throttling. */
  readonly cpuPeriods?: number;
  readonly cpuPeriodsThrottled?: number;
}

/** One line of a Pod's usage journal: a container has ended. */
export interface RecordedUsage extends UsageTotals {
  /** The time of the line, RFC 3339 with microseconds. */
  readonly time: string;
  readonly container: string;
  readonly restartCount: number;
}
