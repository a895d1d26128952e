import { PodrunError } from '../api/errors.ts';
import { GoalError, ManifestError, TimeoutError } from './errors.ts';

/**
 * An error of the command line as a library should say it: without the word `error` in front, and with what to do, as
 * test reports show the message alone. Other errors stay as they are.
 */
function asLibraryError(error: unknown): unknown {
  if (!(error instanceof PodrunError)) return error;
  if (error instanceof ManifestError || error instanceof GoalError || error instanceof TimeoutError) return error;
  const { exitCode, hint } = error;
  const message = error.message.replaceAll(/^error: /gm, '');
  const whole = inOptions(hint === undefined || message.includes(hint) ? message : `${message}\n${hint}`);
  return new PodrunError(whole, { exitCode, hint, cause: error });
}

/** Flags as the options that they are here. */
function inOptions(text: string): string {
  return text
    .replaceAll('--network host', "network: 'host'")
    .replaceAll('--state-dir', 'stateDir')
    .replaceAll(/--(strict|network|runtime|config)\b/g, '$1');
}

/** Runs what may throw an error of the command line. */
export function told<T>(run: () => T): T {
  try {
    const answer = run();
    if (!(answer instanceof Promise)) return answer;
    return answer.catch((error: unknown) => {
      throw asLibraryError(error);
    }) as T;
  } catch (error) {
    throw asLibraryError(error);
  }
}
