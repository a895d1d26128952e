import { containerLimits } from '../../lifecycle/index.ts';
import type { LaunchStep } from './step.ts';

/**
 * Limits the memory, the CPUs and the processes of the container.
 * @param podPidsLimit the most processes and threads of a Pod; undefined: any number
 */
export function limitsStep(podPidsLimit: number | undefined): LaunchStep {
  return {
    prepare: ({ pod, container }) => ({
      ok: true,
      changes: { limits: containerLimits(pod.spec, container, podPidsLimit) },
    }),
  };
}
