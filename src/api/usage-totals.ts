/** What one run of a container has taken in all, as far as the kernel has counted it. What it has not is not there. */
export interface UsageTotals {
  /** The most that its cgroup ever held, with the pages of files that would be given up first. */
  readonly groupPeakBytes?: number;
  /**
   * The most that its processes ever had in memory, without such pages: the sum over those that were there when it was
   * told to stop. Pages that several have are counted for each.
   */
  readonly processPeakBytes?: number;
  readonly cpuSeconds?: number;
  /** Periods in which it ran under a limit of CPU, and in how many of them it was held back. */
  readonly cpuPeriods?: number;
  readonly cpuPeriodsThrottled?: number;
}

/** One line of a Pod's journal of usage: a container has ended. */
export interface RecordedUsage extends UsageTotals {
  /** When it was written, RFC 3339 with microseconds. */
  readonly time: string;
  readonly container: string;
  readonly restartCount: number;
}
