/** Commands that use the terminal or the standard streams of their process, or that a signal ends. */
const ABOUT_PROCESS = new Set('attach debug edit port-forward serve dashboard'.split(' '));

/** Flags of `exec` that give the command the input or the terminal of the process. */
const WITH_INPUT = /^(-[a-z]*[it]|--stdin|--tty)/;

/** Variables that Node itself reads, and the place where helpers are looked for. */
const OF_PROCESS = /^(HOME|PATH|LANG|LC_ALL|NODE_.*)$/;

/**
 * True for a command that can run in the process of the test. A program behind `--` has the streams of the process, but
 * for one in a container, and the COMMAND of `apply`, which writes where `apply` does.
 */
export function isForHere(args: readonly string[], env: Readonly<Record<string, string>>): boolean {
  if (Object.keys(env).some((name) => OF_PROCESS.test(name))) return false;
  const verb = args.find((word) => !word.startsWith('-'));
  const own = args.includes('--') ? args.slice(0, args.indexOf('--')) : args;
  if (own.length < args.length && !['__complete', 'apply', 'exec'].includes(verb ?? '')) return false;
  if (verb === 'exec' && own.some((flag) => WITH_INPUT.test(flag))) return false;
  const isText = args.some((arg) => arg === '--help' || (arg.startsWith('--dry-run') && arg !== '--dry-run=none'));
  if (verb === undefined || isText) return true;
  const follows = verb === 'logs' || verb === 'probes' ? /^(-\w*f|--follow)/ : /^(-w|--watch)/;
  return !args.some((flag) => follows.test(flag)) && !ABOUT_PROCESS.has(verb);
}
