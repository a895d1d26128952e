import { containerKind } from '../../lifecycle/status/container-status.ts';
import type { AttachPoint } from '../../background/attach/attach-point.ts';
import type { LaunchStep } from './step.ts';

/** Opens the socket for clients before an ephemeral container starts: they see its output from the first byte. */
export function clientSocketStep(attachPoint: Pick<AttachPoint, 'expect'>): LaunchStep {
  return {
    async prepare({ pod, container, instance }) {
      const isEphemeral = containerKind(pod, instance.container) === 'ephemeral';
      if (isEphemeral) await attachPoint.expect(pod, container, instance);
      return { ok: true, changes: {} };
    },
  };
}
