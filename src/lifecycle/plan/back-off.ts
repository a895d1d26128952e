import type { BackOff } from '../facts.ts';

/** Numbers of a back-off, in milliseconds. */
export interface BackOffLimits {
  readonly initialMs: number;
  readonly maxMs: number;
}

/** kubelet's defaults. Source: pkg/kubelet/kubelet.go, pkg/kubelet/apis/config/v1beta1/defaults.go. */
export const CRASH_LOOP: BackOffLimits = { initialMs: 10_000, maxMs: 300_000 };

/** Image pulls have their own, with the same numbers. Source: pkg/kubelet/kubelet.go. */
export const IMAGE_PULL: BackOffLimits = { initialMs: 10_000, maxMs: 300_000 };

/** A back-off is forgotten when this long has passed between its last use and the next failure. */
const RESET_AFTER_MS = 600_000;

export type BackOffVerdict =
  | { readonly type: 'go'; readonly next: BackOff }
  | { readonly type: 'wait'; readonly untilMs: number; readonly delayMs: number };

/**
 * May a container be started that last failed at `failedAtMs`? The first restart comes at once; each further one waits
 * twice as long as the one before, up to the maximum. All times are stopwatch milliseconds.
 * Source: kuberuntime_manager.go doBackOff; client-go flowcontrol/backoff.go.
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
