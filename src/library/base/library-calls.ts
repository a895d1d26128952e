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
