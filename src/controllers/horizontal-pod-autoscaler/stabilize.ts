import type { AutoscalingV2HPAScalingRules } from '../../api/index.ts';
import {
  type AutoscalerCondition,
  type ScalingLimit,
  READY_FOR_NEW_SCALE,
  SCALE_DOWN_STABILIZED,
  SCALE_UP_STABILIZED,
  scalingLimited,
} from '../texts/autoscaler.ts';
import { scaleDownLimit, scaleUpLimit } from './limits.ts';
import { type AutoscalerMemory, DOWNSCALE_WINDOW_SECONDS, type Recommendation } from './model.ts';

/** The replicas that metrics ask for, and what may change them. */
export interface Wish {
  readonly current: number;
  readonly desired: number;
  readonly min: number;
  readonly max: number;
  readonly nowMs: number;
  readonly memory: AutoscalerMemory;
}

/** The replicas that the target gets, with the conditions that say why. */
export interface Normalized {
  readonly replicas: number;
  readonly conditions: readonly AutoscalerCondition[];
  readonly recommendations: readonly Recommendation[];
}

/** Without `behavior`. Source: pkg/controller/podautoscaler/horizontal.go normalizeDesiredReplicas. */
export function normalize(wish: Wish): Normalized {
  const { current, desired, min, max, nowMs, memory } = wish;
  const cutoffMs = nowMs - DOWNSCALE_WINDOW_SECONDS * 1000;
  const recent = memory.recommendations.filter(({ atMs }) => atMs >= cutoffMs);
  const stable = Math.max(desired, ...recent.map(({ replicas }) => replicas));
  const upLimit = Math.max(2 * current, 4);
  const upper = Math.min(max, upLimit);
  const limited = ((): [number, ScalingLimit] => {
    if (stable < min) return [min, 'TooFewReplicas'];
    if (stable > upper) return [upper, max > upLimit ? 'ScaleUpLimit' : 'TooManyReplicas'];
    return [stable, 'DesiredWithinRange'];
  })();
  const able = stable === desired ? READY_FOR_NEW_SCALE : SCALE_DOWN_STABILIZED;
  return result(wish, { stable, limited, able, cutoffMs });
}

/** The rules of `behavior` for both directions, with all defaults. */
export interface Behavior {
  readonly scaleUp: AutoscalingV2HPAScalingRules;
  readonly scaleDown: AutoscalingV2HPAScalingRules;
}

/** With `behavior`. Source: pkg/controller/podautoscaler/horizontal.go normalizeDesiredReplicasWithBehaviors. */
export function normalizeWith({ scaleUp, scaleDown }: Behavior, wish: Wish): Normalized {
  const { current, desired, nowMs, memory } = wish;
  const upSeconds = scaleUp.stabilizationWindowSeconds ?? 0;
  const downSeconds = scaleDown.stabilizationWindowSeconds ?? DOWNSCALE_WINDOW_SECONDS;
  const within = (seconds: number): number[] =>
    memory.recommendations.filter(({ atMs }) => atMs > nowMs - seconds * 1000).map(({ replicas }) => replicas);
  const lowest = Math.min(desired, ...within(upSeconds));
  const highest = Math.max(desired, ...within(downSeconds));
  const stable = Math.min(Math.max(current, lowest), highest);
  const stabilized = desired >= current ? SCALE_UP_STABILIZED : SCALE_DOWN_STABILIZED;
  const able = stable === desired ? READY_FOR_NEW_SCALE : stabilized;
  const limited = withRates({ scaleUp, scaleDown }, { ...wish, desired: stable });
  return result(wish, { stable, limited, able, cutoffMs: nowMs - Math.max(upSeconds, downSeconds) * 1000 });
}

/** Source: convertDesiredReplicasWithBehaviorRate. */
function withRates({ scaleUp, scaleDown }: Behavior, wish: Wish): [number, ScalingLimit] {
  const { current, desired, min, max } = wish;
  if (desired > current) {
    const limit = Math.max(scaleUpLimit(scaleUp, wish), current);
    if (desired > Math.min(max, limit)) return [Math.min(max, limit), max > limit ? 'ScaleUpLimit' : 'TooManyReplicas'];
  } else if (desired < current) {
    const limit = Math.min(scaleDownLimit(scaleDown, wish), current);
    if (desired < Math.max(min, limit))
      return [Math.max(min, limit), min < limit ? 'ScaleDownLimit' : 'TooFewReplicas'];
  }
  return [desired, 'DesiredWithinRange'];
}

interface Steps {
  readonly stable: number;
  readonly limited: readonly [replicas: number, limit: ScalingLimit];
  readonly able: AutoscalerCondition;
  /** Recommendations from before this time are of no use. */
  readonly cutoffMs: number;
}

function result({ desired, nowMs, memory }: Wish, { stable, limited, able, cutoffMs }: Steps): Normalized {
  const [replicas, limit] = limited;
  const kept = memory.recommendations;
  const old = kept.findLastIndex(({ atMs }) => atMs < cutoffMs);
  const newest = { replicas: desired, atMs: nowMs };
  return {
    replicas,
    conditions: [able, scalingLimited(limit, replicas !== stable)],
    recommendations: old < 0 ? [...kept, newest] : kept.with(old, newest),
  };
}
