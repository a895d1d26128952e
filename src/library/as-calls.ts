/** Commands of podrun that are advised, and what does the same with Pods in hand. */
const CALLS: ReadonlyArray<readonly [RegExp, string]> = [
  [/podrun logs \S+ -c (\S+) --previous( -n \S+)?/g, "pods.logs('$1', { previous: true })"],
  [/podrun logs \S+ -c (\S+)( -n \S+)?/g, "pods.logs('$1')"],
  [/podrun describe pod (\S+)( -n \S+)?/g, "pods.describe('$1')"],
  [/podrun condition pod \S+ (\S+)=True( -n \S+)?/g, "pods.condition('$1', true)"],
  [/podrun apply --image '(.+)=COMMAND'/g, "run(…, { images: { '$1': COMMAND } })"],
  [/--until ready/g, "until('Ready')"],
  [/--network host/g, "network: 'host'"],
  [/--state-dir/g, 'stateDir'],
  [/--(strict|network|runtime|config)\b/g, '$1'],
];

/** What is said of the command line as whoever uses the library has to say it. */
export function asCalls(text: string): string {
  return CALLS.reduce((said, [command, call]) => said.replaceAll(command, call), text);
}
