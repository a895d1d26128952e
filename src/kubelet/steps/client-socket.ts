import { containerKind } from '../../lifecycle/index.ts';
import type { AttachPoint } from '../attach/attach-point.ts';
import type { LaunchStep } from './step.ts';

/**
 * Opens the socket for clients before an ephemeral container starts: they see its output from the first byte.
 * @param awaitsClient true: also before the first start of every other container
 */
export function clientSocketStep(attachPoint: Pick<AttachPoint, 'expect'>, awaitsClient: boolean): LaunchStep {
  return {
    async prepare({ pod, container, instance }) {
      const isEphemeral = containerKind(pod, instance.container) === 'ephemeral';
      if (isEphemeral || (awaitsClient && instance.attempt === 0)) await attachPoint.expect(pod, container, instance);
      return { ok: true, changes: {} };
    },
  };
}
