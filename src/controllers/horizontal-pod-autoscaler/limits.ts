import type { AutoscalingV2HPAScalingRules } from '../../api/index.ts';
import { type AutoscalerMemory, REPLICAS_MAX, type ScaleChange } from './model.ts';

/** The replicas now, and the changes that the controller remembers: policies look at them. */
interface Scaled {
  readonly current: number;
  readonly nowMs: number;
  readonly memory: AutoscalerMemory;
}

/** The most replicas that the policies of `scaleUp` allow now. Source: calculateScaleUpLimitWithScalingRules. */
export function scaleUpLimit(rules: AutoscalingV2HPAScalingRules, scaled: Scaled): number {
  return limitOf(rules, scaled, {
    pods: (start, value) => start + value,
    // Rounds up: a small percentage of a few Pods still adds one.
    percent: (start, value) => Math.ceil(start * (1 + value / 100)),
    choose: rules.selectPolicy === 'Min' ? Math.min : Math.max,
  });
}

/** The fewest replicas that the policies of `scaleDown` allow now. Source: calculateScaleDownLimitWithBehaviors. */
export function scaleDownLimit(rules: AutoscalingV2HPAScalingRules, scaled: Scaled): number {
  return limitOf(rules, scaled, {
    pods: (start, value) => start - value,
    percent: (start, value) => Math.trunc(start * (1 - value / 100)),
    choose: rules.selectPolicy === 'Min' ? Math.max : Math.min,
  });
}

interface Direction {
  readonly pods: (start: number, value: number) => number;
  readonly percent: (start: number, value: number) => number;
  readonly choose: (...limits: number[]) => number;
}

function limitOf(
  { selectPolicy, policies = [] }: AutoscalingV2HPAScalingRules,
  { current, nowMs, memory: { scaleUps, scaleDowns } }: Scaled,
  { pods, percent, choose }: Direction,
): number {
  if (selectPolicy === 'Disabled') return current;
  const limits = policies.map(({ type, value, periodSeconds }) => {
    const changed = (changes: readonly ScaleChange[]): number =>
      changes.filter(({ atMs }) => atMs > nowMs - periodSeconds * 1000).reduce((sum, { change }) => sum + change, 0);
    const start = current - changed(scaleUps) + changed(scaleDowns);
    return Math.min(type === 'Pods' ? pods(start, value) : percent(start, value), REPLICAS_MAX);
  });
  return choose(...limits);
}

/**
 * The memory with a change of replicas. An entry that no policy looks at any more makes room.
 * Source: pkg/controller/podautoscaler/horizontal.go storeScaleEvent.
 */
export function remembered(
  behavior: { readonly scaleUp: AutoscalingV2HPAScalingRules; readonly scaleDown: AutoscalingV2HPAScalingRules },
  { current, nowMs, memory }: Scaled,
  replicas: number,
): AutoscalerMemory {
  const isUp = replicas > current;
  const { policies = [] } = isUp ? behavior.scaleUp : behavior.scaleDown;
  const longestMs = Math.max(0, ...policies.map(({ periodSeconds }) => periodSeconds)) * 1000;
  const changes = isUp ? memory.scaleUps : memory.scaleDowns;
  const old = changes.findLastIndex(({ atMs }) => atMs < nowMs - longestMs);
  const newest = { change: Math.abs(replicas - current), atMs: nowMs };
  const all = old < 0 ? [...changes, newest] : changes.with(old, newest);
  return isUp ? { ...memory, scaleUps: all } : { ...memory, scaleDowns: all };
}
