import { PodrunError } from '../../api/index.ts';
import { asLibraryCalls } from './library-calls.ts';
import { GoalError, ManifestError, TimeoutError } from './errors.ts';

/**
 * Runs a call of the user and translates its errors into those of a library: see `asLibraryError`. The stack of an
 * error leads to the line of that call, which test reports show, also when something else ended a wait.
 */
export function withLibraryErrors<T>(run: () => T): T {
  const call: { stack?: string } = {};
  Error.captureStackTrace(call, withLibraryErrors);
  try {
    const answer = run();
    if (!(answer instanceof Promise)) return answer;
    return answer.catch((error: unknown) => {
      throw asLibraryError(error, call.stack);
    }) as T;
  } catch (error) {
    throw asLibraryError(error, call.stack);
  }
}

/**
 * Translates an error of the command line: drops the word `error` in front, and adds the hint, since test reports show
 * only the message. Other errors stay as they are.
 */
function asLibraryError(error: unknown, stack: string | undefined): unknown {
  if (!(error instanceof PodrunError)) return error;
  const isOurs = error instanceof ManifestError || error instanceof GoalError || error instanceof TimeoutError;
  const translated = isOurs ? error : withHint(error);
  const frames = stack?.slice(stack.indexOf('\n')) ?? '';
  translated.stack = `${translated.name}: ${translated.message}${frames}`;
  return translated;
}

function withHint({ code, message, path, hint, cause }: PodrunError): PodrunError {
  const sentence = message.replaceAll(/^error: /gm, '');
  const whole = hint === undefined || sentence.includes(hint) ? sentence : `${sentence}\n${hint}`;
  return new PodrunError(code, asLibraryCalls(whole), { path, hint: hint && asLibraryCalls(hint), cause });
}
