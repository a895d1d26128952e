import type { EphemeralContainer } from '../../api/index.ts';
import { containerSpec, targetNotResolved } from '../../lifecycle/index.ts';
import type { ContainerImages } from '../../images/index.ts';
import type { LaunchInput, LaunchOutcome, LaunchStep } from './step.ts';

/**
 * Gives an ephemeral container the variables and the working directory of its target container, where both run on this
 * machine: an image has its own.
 * @param prepare computes the program of the target, as if it were to start
 */
export function targetStep(
  prepare: (input: LaunchInput) => Promise<LaunchOutcome>,
  images?: ContainerImages,
): LaunchStep {
  return {
    async prepare(input, { defaults, notices }) {
      const { name, targetContainerName } = input.container as EphemeralContainer;
      if (!targetContainerName) return { ok: true, changes: {} };
      const container = containerSpec(input.pod, targetContainerName);
      if ([input.container, container].some((either) => images?.isImage(input.pod, either)))
        return { ok: true, changes: {} };
      const target = await prepare({ ...input, container });
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
