import type { LaunchStep } from './step.ts';

/** Puts the container into the private network of its Pod, if the Pod has one. */
export const networkStep: LaunchStep = {
  prepare: ({ sandbox: { network } }) => ({ ok: true, changes: { network } }),
};
