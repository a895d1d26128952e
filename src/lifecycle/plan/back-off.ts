import type { BackOff } from '../base/facts.ts';

/** The delays of a back-off, in milliseconds. */
export interface BackOffLimits {
  readonly initialMs: number;
  readonly maxMs: number;
}

/** The kubelet's defaults. Source: pkg/kubelet/kubelet.go, pkg/kubelet/apis/config/v1beta1/defaults.go. */
export const CRASH_LOOP: BackOffLimits = { initialMs: 10_000, maxMs: 300_000 };

/** The back-off of image pulls, with the same numbers. Source: pkg/kubelet/kubelet.go. */
export const IMAGE_PULL: BackOffLimits = { initialMs: 10_000, maxMs: 300_000 };

/** The pause between the last use of a back-off and the next failure after which the back-off is reset. */
const RESET_AFTER_MS = 600_000;

export type BackOffVerdict =
  | { readonly type: 'go'; readonly next: BackOff }
  | { readonly type: 'wait'; readonly untilMs: number; readonly delayMs: number };

/**
 * Decides whether a container that last failed at `failedAtMs` may start. The first restart comes at once. Each further
 * restart waits twice as long as the one before, up to the maximum. Times are stopwatch milliseconds. Source:
 * kuberuntime_manager.go doBackOff; client-go flowcontrol/backoff.go.
 */
export function backOffVerdict(
  entry: BackOff | undefined,
  failedAtMs: number,
  nowMs: number,
  limits: BackOffLimits,
): BackOffVerdict {
  const initialMs = Math.min(limits.initialMs, limits.maxMs);
  if (entry === undefined || failedAtMs - entry.lastUpdateMs > RESET_AFTER_MS) {
    return { type: 'go', next: { delayMs: initialMs, lastUpdateMs: nowMs } };
  }
  if (nowMs - failedAtMs < entry.delayMs) {
    return { type: 'wait', untilMs: failedAtMs + entry.delayMs, delayMs: entry.delayMs };
  }
  return { type: 'go', next: { delayMs: Math.min(entry.delayMs * 2, limits.maxMs), lastUpdateMs: nowMs } };
}
