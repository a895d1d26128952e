import { goQuote, podFullName, type StoredMeta } from '../../api/index.ts';

// The messages of PostStartHookError. Source: pkg/kubelet/lifecycle/handlers.go.

/** @param failure.hook one of `execHook`, `httpHook` and `sleepHook` */
export function hookFailed(failure: {
  readonly hook: string;
  readonly pod: StoredMeta;
  readonly container: string;
  readonly error: string;
}): string {
  const { hook, pod, container, error } = failure;
  const names = `Container ${goQuote(container)} in Pod ${goQuote(podFullName(pod))}`;
  return `${hook} for ${names} failed - error: ${error}`;
}

export function execHook(command: string): string {
  return `Exec lifecycle hook ([${command}])`;
}

export function httpHook(path: string): string {
  return `HTTP lifecycle hook (${path})`;
}

export function sleepHook(seconds: number): string {
  return `Sleep lifecycle hook (${seconds})`;
}

/** The error of an exec hook. Source: pkg/kubelet/lifecycle/handlers.go Run; k8s.io/utils/exec CodeExitError. */
export function commandFailed(
  command: string,
  exit: { readonly exitCode: number; readonly stdout: string; readonly stderr: string },
): string {
  const { exitCode, stdout, stderr } = exit;
  return withOutput(`command '${command}' exited with ${exitCode}: ${stderr}`, stdout + stderr);
}

/** The error of an exec hook whose program did not start. */
export function commandNotStarted(error: string): string {
  return withOutput(`rpc error: code = Unknown desc = ${error}`, '');
}

/** The error of an exec hook that was still running when its container ended. */
export function commandCanceled(output: string): string {
  return withOutput('rpc error: code = Canceled desc = context canceled', output);
}

function withOutput(error: string, output: string): string {
  return `${error}, message: ${goQuote(output)}`;
}

/** The error of a sleep hook. */
export const SLEEP_CUT_SHORT = 'container terminated before sleep hook finished';

/** @param handler as Go prints it */
export function invalidHandler(handler: string): string {
  return `Cannot run handler: invalid handler: ${handler}`;
}
