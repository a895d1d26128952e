import type { ProgramCall } from '../inside.ts';

/** The descriptor that a waiting process reads from, beside the three of its program. */
export const GATE_DESCRIPTOR = 3;

/**
 * Waits for a line, gives the descriptor back, and becomes the program. When podrun ends meanwhile, no line comes, and
 * nothing is started. What a shell that is bash would add to the environment is taken out again, but for `_`.
 */
const SCRIPT = `read -r line <&${GATE_DESCRIPTOR} || exit 137
exec ${GATE_DESCRIPTOR}<&-
unset line PWD OLDPWD SHLVL
exec "$@"`;

/** A shell hands on names of this form only; dash drops the others. */
const HANDED_ON = /^[A-Za-z_]\w*$/;
/** What means something to a shell itself, or to what loads it, which may have more rights than the program. */
const OF_SHELLS = /^(_|line|IFS|PWD|OLDPWD|SHLVL|OPTIND|PPID|LINENO|PS[0124]|ENV|SHELLOPTS|BASH.*|FUNCNEST|LD_.*)$/;

/**
 * What is to be started so that a program begins only once it is let: before that, it is put under its limits.
 * Undefined where a shell would change what the program sees.
 * @param entered what would be started otherwise
 * @param call the program itself
 */
export function gated(entered: ProgramCall, call: ProgramCall): ProgramCall | undefined {
  const { argv, env, cwd, file } = entered;
  const names = Object.keys(env);
  if (names.some((name) => !HANDED_ON.test(name) || OF_SHELLS.test(name))) return undefined;
  const [name, ...args] = argv;
  // What podrun itself puts before the program is not looked for where the program's variables say.
  const program = argv.length === call.argv.length ? name : file;
  if (program.startsWith('-')) return undefined;
  return { file: '/bin/sh', argv: ['sh', '-c', SCRIPT, 'sh', program, ...args], env, cwd };
}
