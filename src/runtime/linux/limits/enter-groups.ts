import type { ProgramCall } from '../../base/inside.ts';

/** The name of the shell that enters groups, with which its error messages begin. */
const NAME = 'limits';

/** Enters the groups before `--`, and becomes the program behind it, without the variables that bash adds. */
const SCRIPT = `while [ "$1" != -- ]; do echo 0 >"$1/cgroup.procs" || exit 1; shift; done
shift
unset PWD OLDPWD SHLVL
exec "$@"`;

/** The names that every shell passes on. dash drops all other names. */
const PORTABLE_NAME = /^[A-Za-z_]\w*$/;
/** Variables with a meaning for shells or for their loader, which may have more rights than the program. */
const SHELL_VARIABLE = /^(_|IFS|PWD|OLDPWD|SHLVL|OPTIND|PPID|LINENO|PS[0124]|ENV|SHELLOPTS|BASH.*|FUNCNEST|LD_.*)$/;

/**
 * The program in groups: its process enters them before it does anything else. Undefined where a shell would change the
 * program's environment.
 * @param groups the folders of cgroups
 * @param entered the call with the tools before the program
 * @param call the program itself
 */
export function enteringGroups(
  groups: readonly string[],
  entered: ProgramCall,
  call: ProgramCall,
): ProgramCall | undefined {
  const { argv, env, cwd, file } = entered;
  const names = Object.keys(env);
  if (names.some((name) => !PORTABLE_NAME.test(name) || SHELL_VARIABLE.test(name))) return undefined;
  const [name, ...args] = argv;
  // A tool before the program must not be searched along the program's PATH, nor a file that stands for the program.
  const program = argv.length === call.argv.length && file === call.file ? name : file;
  if (program.startsWith('-')) return undefined;
  return { file: '/bin/sh', argv: ['sh', '-c', SCRIPT, NAME, ...groups, '--', program, ...args], env, cwd };
}
