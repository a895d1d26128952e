import { type NamespaceFacts, whyNotOver } from '../../runtime/index.ts';
import type { LaunchStep } from './step.ts';

/** Refuses a folder of the image map whose files cannot lie over this machine's files: the view would be broken. */
export function imageFolderStep(facts: NamespaceFacts | undefined): LaunchStep {
  return {
    prepare(_input, { imageFolder }) {
      const message = imageFolder !== undefined && facts ? whyNotOver(imageFolder, facts) : undefined;
      return message === undefined ? { ok: true, changes: {} } : { ok: false, stage: 'create', message };
    },
  };
}
