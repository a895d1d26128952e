import { isSameJson, type Pod, type PodSpec, type RuntimeClass, type Toleration } from '../../api/index.ts';
import { entriesByKey } from '../base/decoded.ts';

/** The Pod with what its RuntimeClass adds, or the reason why it is refused. */
export type RuntimeClassOutcome<T> = { readonly pod: T } | { readonly problem: string };

type SpecOutcome = { readonly spec: PodSpec } | { readonly problem: string };

const OTHER_OVERHEAD = "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead";
const OWN_OVERHEAD = 'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead';

/**
 * Gives a new Pod the overhead, the node selector and the tolerations of its RuntimeClass. Source:
 * plugin/pkg/admission/runtimeclass/admission.go.
 */
export function withRuntimeClass<T extends Pod>(pod: T, classes: readonly RuntimeClass[]): RuntimeClassOutcome<T> {
  const { spec } = pod;
  if (spec === undefined) return { pod };
  const name = spec.runtimeClassName;
  const runtimeClass = classes.find(({ metadata }) => metadata?.name === name);
  if (name !== undefined && runtimeClass === undefined) {
    return { problem: `pod rejected: RuntimeClass ${JSON.stringify(name)} not found` };
  }
  const outcome = withOverhead(spec, runtimeClass);
  const scheduled = 'problem' in outcome ? outcome : withScheduling(outcome.spec, runtimeClass);
  if ('problem' in scheduled) return scheduled;
  return { pod: scheduled.spec === spec ? pod : { ...pod, spec: scheduled.spec } };
}

function withOverhead(spec: PodSpec, runtimeClass: RuntimeClass | undefined): SpecOutcome {
  const podFixed = runtimeClass?.overhead?.podFixed;
  const own = Object.keys(spec.overhead ?? {}).length > 0;
  if (runtimeClass?.overhead === undefined) return own ? { problem: OWN_OVERHEAD } : { spec };
  if (own && !isSameJson(spec.overhead, podFixed)) return { problem: OTHER_OVERHEAD };
  return podFixed === undefined ? { spec } : { spec: { ...spec, overhead: podFixed } };
}

function withScheduling(spec: PodSpec, runtimeClass: RuntimeClass | undefined): SpecOutcome {
  const { nodeSelector, tolerations = [] } = runtimeClass?.scheduling ?? {};
  for (const [key, value] of entriesByKey(nodeSelector)) {
    const own = spec.nodeSelector?.[key];
    if (own === undefined || own === value) continue;
    const [ofClass, ofPod] = ['runtimeClass.scheduling', 'pod.spec'].map((from) => `${from}.nodeSelector[${key}] = `);
    return { problem: `conflict: ${ofClass}${value}; ${ofPod}${own}` };
  }
  const selected =
    nodeSelector === undefined ? spec : { ...spec, nodeSelector: { ...spec.nodeSelector, ...nodeSelector } };
  if (tolerations.length === 0) return { spec: selected };
  return { spec: { ...selected, tolerations: mergedTolerations([...(spec.tolerations ?? []), ...tolerations]) } };
}

/**
 * Leaves out tolerations that another one covers. Among equals the first stays. Source: pkg/util/tolerations,
 * MergeTolerations.
 */
function mergedTolerations(all: readonly Toleration[]): Toleration[] {
  const merged: Toleration[] = [];
  for (const [index, toleration] of all.entries()) {
    const later = all.slice(index + 1).filter((other) => !isSameJson(other, toleration));
    if (![...merged, ...later].some((other) => covers(other, toleration))) merged.push(toleration);
  }
  return merged;
}

/**
 * True when the toleration `wide` tolerates every taint that `narrow` tolerates. Source: isSuperset of the same
 * package.
 */
function covers(wide: Toleration, narrow: Toleration): boolean {
  if (isSameJson(wide, narrow)) return true;
  const isForAll = !wide.key && wide.operator === 'Exists';
  if ((wide.key ?? '') !== (narrow.key ?? '') && !isForAll) return false;
  if (wide.effect && wide.effect !== narrow.effect) return false;
  if (wide.effect === 'NoExecute' && (narrow.tolerationSeconds ?? Infinity) > (wide.tolerationSeconds ?? Infinity)) {
    return false;
  }
  if (wide.operator === 'Exists') return true;
  const isEqual = !wide.operator || wide.operator === 'Equal';
  return isEqual && narrow.operator === 'Equal' && (wide.value ?? '') === (narrow.value ?? '');
}
