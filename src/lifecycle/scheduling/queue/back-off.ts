/** The wait after the first failed attempt. Each further attempt doubles it. Source: pkg/scheduler/scheduler.go. */
const INITIAL_BACK_OFF_MS = 1000;

/** The longest wait. */
const MAX_BACK_OFF_MS = 10_000;

/** The time after which a Pod is tried again that nothing has helped. Source: pkg/scheduler/scheduler.go. */
export const LONGEST_REST_MS = 300_000;

/**
 * The time that a Pod waits after failed attempts before it is tried again, in milliseconds. Source:
 * pkg/scheduler/backend/queue/backoff_queue.go calculateBackoffDuration.
 */
export function backOffMs(attempts: number): number {
  return Math.min(INITIAL_BACK_OFF_MS * 2 ** (attempts - 1), MAX_BACK_OFF_MS);
}
