import type { Container, PodSpec } from '../../../src/api/generated/types.ts';
import { isSidecar } from '../../../src/api/objects.ts';

/*
 * What the API promises about restarts, written down a second time on purpose: the invariants must not ask the code
 * that they judge.
 */

/** The action of the first rule that names this exit code. */
export function matchingAction(container: Container, exitCode: number): string | undefined {
  for (const { action, exitCodes } of container.restartPolicyRules ?? []) {
    const listed = exitCodes?.values?.includes(exitCode) ?? false;
    if (exitCodes !== undefined && (exitCodes.operator === 'In') === listed) return action;
  }
  return undefined;
}

/** May a container that ended with this code be started again, by rules and policies alone? */
export function mayRestart(spec: PodSpec, container: Container, exitCode: number): boolean {
  if (spec.ephemeralContainers?.some(({ name }) => name === container.name)) return false;
  const isInit = spec.initContainers?.some(({ name }) => name === container.name) ?? false;
  if (isInit && isSidecar(container)) return true;
  // An init container that has done its work is done, whatever rules and policies say.
  if (isInit && exitCode === 0) return false;
  if (matchingAction(container, exitCode) !== undefined) return true;
  const policy = container.restartPolicy ?? spec.restartPolicy ?? 'Always';
  return policy === 'Always' || (policy === 'OnFailure' && exitCode !== 0);
}
