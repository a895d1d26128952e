import { allContainers, PodrunError } from '../../api/index.ts';
import { limitsOfEach } from '../../lifecycle/index.ts';
import { whyNotEnforced } from '../../runtime/index.ts';
import type { PlannedPod } from './planned-pods.ts';

/**
 * The limits of Pods that podrun cannot enforce here, a sentence for each. Undefined: the Pods have no limits.
 * @param podPidsLimit of podrun.yaml
 * @param pollsMemory true: podrun measures memory where no cgroup limits it
 */
export function openLimits(
  pods: readonly PlannedPod[],
  podPidsLimit: number | undefined,
  pollsMemory: boolean,
): readonly string[] | undefined {
  const limited = pods.flatMap(({ kind, name, spec }) =>
    limitsOfEach(spec, allContainers(spec), podPidsLimit).map((limits) => ({
      subject: `${kind.toLowerCase()}/${name}`,
      limits,
    })),
  );
  if (limited.length === 0) return undefined;
  return limited.flatMap(({ subject, limits }) => {
    const why = whyNotEnforced(limits, pollsMemory);
    return why === undefined ? [] : [`error: ${subject}: ${why}`];
  });
}

/** The error of `--strict` about limits that podrun cannot enforce. */
export function limitsRefused(open: readonly string[]): PodrunError {
  return new PodrunError('Unsupported', [...new Set(open)].join('\n'), {
    hint: 'podrun doctor shows what this machine permits. Without --strict the Pods would run without these limits.',
  });
}
