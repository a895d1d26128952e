import type { PodDisruptionBudget, PriorityClass } from '../../../api/generated/types.ts';
import type { StoredKubeObject } from '../../../api/objects.ts';
import { labelText } from '../../text/labels.ts';
import { selectorText } from '../../text/selector.ts';
import { line } from '../line.ts';

/** The lines of `describe` about a PodDisruptionBudget, without its events. */
export function describeBudget({ metadata, spec = {}, status }: StoredKubeObject & PodDisruptionBudget): string[] {
  const { minAvailable, maxUnavailable, selector } = spec;
  return [
    line(0, 'Name:', metadata.name),
    line(0, 'Namespace:', metadata.namespace),
    ...(minAvailable === undefined ? [] : [line(0, 'Min available:', String(minAvailable))]),
    ...(maxUnavailable === undefined ? [] : [line(0, 'Max unavailable:', String(maxUnavailable))]),
    line(0, 'Selector:', selector === undefined ? '<unset>' : selectorText(selector)),
    line(0, 'Status:'),
    line(2, 'Allowed disruptions:', String(status?.disruptionsAllowed ?? 0)),
    line(2, 'Current:', String(status?.currentHealthy ?? 0)),
    line(2, 'Desired:', String(status?.desiredHealthy ?? 0)),
    line(2, 'Total:', String(status?.expectedPods ?? 0)),
  ];
}

/** The lines of `describe` about a PriorityClass, without its events. */
export function describePriorityClass(priority: StoredKubeObject & PriorityClass): string[] {
  const { metadata, value, globalDefault, preemptionPolicy, description } = priority;
  return [
    line(0, 'Name:', metadata.name),
    line(0, 'Value:', String(value ?? 0)),
    line(0, 'GlobalDefault:', String(globalDefault ?? false)),
    line(0, 'PreemptionPolicy:', preemptionPolicy ?? ''),
    line(0, 'Description:', description ?? ''),
    line(0, 'Annotations:', labelText(metadata.annotations)),
  ];
}
