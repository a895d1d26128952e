import { PodrunError } from '../../api/index.ts';
import { GoalError, ManifestError, TimeoutError } from './errors.ts';

/**
 * Runs a call of the user and translates its errors into errors of a library: see `asLibraryError`. The stack of an
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
 * only the message. Other errors stay unchanged.
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

/** Commands of podrun that messages advise, each with the call of the library that does the same. */
const CALLS: ReadonlyArray<readonly [RegExp, string]> = [
  [/podrun logs \S+ -c (\S+) --previous( -n \S+)?/g, "pods.logs('$1', { previous: true })"],
  [/podrun logs \S+ -c (\S+)(?!\S| --hooks)( -n \S+)?/g, "pods.logs('$1')"],
  [/podrun describe pod (\S+)( -n \S+)?/g, "pods.describe('$1')"],
  [/podrun condition pod \S+ (\S+)=True( -n \S+)?/g, "pods.condition('$1', true)"],
  [/podrun apply --image '([^']+)=COMMAND'/g, "run(…, { images: { '$1': COMMAND } })"],
  [/--until ready/g, "until('Ready')"],
  [/--network host/g, "network: 'host'"],
  [/--state-dir/g, 'stateDir'],
  [/--(strict|network|runtime|config)\b/g, '$1'],
];

/** Replaces the commands and flags in a text with the calls and options of the library. */
export function asLibraryCalls(text: string): string {
  return CALLS.reduce((result, [command, call]) => result.replaceAll(command, call), text);
}

/**
 * Puts advice into calls of the library. Undefined when only a command of podrun can follow it: a command in a terminal
 * does not know the state folder of the run, which ends with it.
 */
export function asLibraryAdvice(sentence: string): string | undefined {
  const advice = asLibraryCalls(sentence);
  return /\bpodrun [a-z]/.test(advice) ? undefined : advice;
}
