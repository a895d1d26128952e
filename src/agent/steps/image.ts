import type { ContainerImages } from '../images/container-images.ts';
import type { LaunchStep } from './step.ts';

/** Finds the image of a container that does not run a program of this machine. */
export function imageStep(images: ContainerImages | undefined): LaunchStep {
  return {
    async prepare({ pod, container }) {
      if (images?.isImage(pod, container) !== true) return { ok: true, changes: {} };
      try {
        return { ok: true, changes: { image: await images.imageOf(pod, container) } };
      } catch (error) {
        return { ok: false, stage: 'create', message: error instanceof Error ? error.message : String(error) };
      }
    },
  };
}
