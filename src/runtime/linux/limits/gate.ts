import type { ProgramCall } from '../../inside.ts';

/** The descriptor from which a waiting process reads, beside the three of its program. */
export const GATE_DESCRIPTOR = 3;

/**
 * Waits for a line, closes the descriptor, and becomes the program. If podrun ends meanwhile, no line comes, and the
 * program is not started. Removes the variables that bash adds, except `_`.
 */
const SCRIPT = `read -r line <&${GATE_DESCRIPTOR} || exit 137
exec ${GATE_DESCRIPTOR}<&-
unset line PWD OLDPWD SHLVL
exec "$@"`;

/** The names that every shell passes on. dash drops others. */
const PORTABLE_NAME = /^[A-Za-z_]\w*$/;
/** Variables with a meaning for shells or for their loader, which may have more rights than the program. */
const SHELL_VARIABLE =
  /^(_|line|IFS|PWD|OLDPWD|SHLVL|OPTIND|PPID|LINENO|PS[0124]|ENV|SHELLOPTS|BASH.*|FUNCNEST|LD_.*)$/;

/**
 * The program behind a gate: it starts only after it was put under its limits. Undefined where a shell would change the
 * program's environment.
 * @param entered the call without a gate
 * @param call the program itself
 */
export function gated(entered: ProgramCall, call: ProgramCall): ProgramCall | undefined {
  const { argv, env, cwd, file } = entered;
  const names = Object.keys(env);
  if (names.some((name) => !PORTABLE_NAME.test(name) || SHELL_VARIABLE.test(name))) return undefined;
  const [name, ...args] = argv;
  // A tool before the program must not be searched along the program's PATH, nor a file that stands for the program.
  const program = argv.length === call.argv.length && file === call.file ? name : file;
  if (program.startsWith('-')) return undefined;
  return { file: '/bin/sh', argv: ['sh', '-c', SCRIPT, 'sh', program, ...args], env, cwd };
}
