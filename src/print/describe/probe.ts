import type { Probe } from '../../api/index.ts';
import { describeHandler } from '../../lifecycle/index.ts';

/** A probe on one line: its handler and its numbers. Missing numbers appear as the API's defaults. */
export function describeProbe(probe: Probe): string {
  const numbers = [
    `delay=${probe.initialDelaySeconds ?? 0}s`,
    `timeout=${probe.timeoutSeconds ?? 1}s`,
    `period=${probe.periodSeconds ?? 10}s`,
    `#success=${probe.successThreshold ?? 1}`,
    `#failure=${probe.failureThreshold ?? 3}`,
  ];
  return `${describeHandler(probe)} ${numbers.join(' ')}`;
}
