import { errorMessage } from '../../api/index.ts';
import type { ContainerImages } from '../../images/index.ts';
import { imageUsersNotMapped } from '../../lifecycle/index.ts';
import { type NamespaceFacts, whyNotOver } from '../../runtime/index.ts';
import type { LaunchStep } from './step.ts';

/** Finds the image of a container that does not run a program of this machine. */
export function imageStep(images: ContainerImages | undefined): LaunchStep {
  return {
    async prepare({ pod, container }, { notices }) {
      if (images?.isImage(pod, container) !== true) return { ok: true, changes: {} };
      try {
        const image = await images.imageOf(pod, container);
        if (image.root.owners !== 'single') return { ok: true, changes: { image } };
        return { ok: true, changes: { image, notices: [...notices, imageUsersNotMapped(container.name)] } };
      } catch (error) {
        return { ok: false, stage: 'create', message: errorMessage(error) };
      }
    },
  };
}

/** Refuses a folder of the image map whose files cannot lie over this machine's files: the view would be broken. */
export function imageFolderStep(facts: NamespaceFacts | undefined): LaunchStep {
  return {
    prepare(_input, { imageFolder }) {
      const message = imageFolder !== undefined && facts ? whyNotOver(imageFolder, facts) : undefined;
      return message === undefined ? { ok: true, changes: {} } : { ok: false, stage: 'create', message };
    },
  };
}
