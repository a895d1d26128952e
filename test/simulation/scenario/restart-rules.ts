import type { Container, PodSpec } from '../../../src/api/generated/types.ts';
import { isSidecar } from '../../../src/api/base/objects.ts';

/*
 * The API's promises about restarts, implemented a second time on purpose: invariants must not use the code that they
 * check.
 */

/** The action of the first rule that names this exit code. */
export function matchingAction(container: Container, exitCode: number): string | undefined {
  for (const { action, exitCodes } of container.restartPolicyRules ?? []) {
    const listed = exitCodes?.values?.includes(exitCode) ?? false;
    if (exitCodes !== undefined && (exitCodes.operator === 'In') === listed) return action;
  }
  return undefined;
}

/** True when rules and policies let a container with this exit code start again. */
export function mayRestart(spec: PodSpec, container: Container, exitCode: number): boolean {
  if (spec.ephemeralContainers?.some(({ name }) => name === container.name)) return false;
  const isInit = spec.initContainers?.some(({ name }) => name === container.name) ?? false;
  if (isInit && isSidecar(container)) return true;
  // An init container that is done never starts again, whatever its rules and policies are.
  if (isInit && exitCode === 0) return false;
  if (matchingAction(container, exitCode) !== undefined) return true;
  const policy = container.restartPolicy ?? spec.restartPolicy ?? 'Always';
  return policy === 'Always' || (policy === 'OnFailure' && exitCode !== 0);
}
