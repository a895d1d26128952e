import type { EphemeralContainer } from '../../api/generated/types.ts';
import { containerSpec } from '../../lifecycle/observe.ts';
import { targetNotResolved } from '../../lifecycle/texts/podrun-events.ts';
import type { LaunchInput, LaunchOutcome, LaunchStep } from './step.ts';

/**
 * Gives an ephemeral container the variables and the working directory of its target container.
 * @param prepare computes the program of the target, as if it were to start
 */
export function targetStep(prepare: (input: LaunchInput) => Promise<LaunchOutcome>): LaunchStep {
  return {
    async prepare(input, { defaults, notices }) {
      const { name, targetContainerName } = input.container as EphemeralContainer;
      if (!targetContainerName) return { ok: true, changes: {} };
      const target = await prepare({ ...input, container: containerSpec(input.pod, targetContainerName) });
      if (target.ok) {
        const { env, cwd } = target.launch;
        return { ok: true, changes: { defaults: { ...defaults, ...env }, cwd } };
      }
      // The user may add this container to find out what is wrong with the target.
      const notice = targetNotResolved(name, targetContainerName, target.message);
      return { ok: true, changes: { notices: [...notices, notice] } };
    },
  };
}
