import type { InsideTools, ProgramCall } from '../base/inside.ts';

/** Variables by which the C library loads other code into a program, or reads other files. */
export const LOADER_VARIABLE: RegExp = /^(LD_.*|GLIBC_TUNABLES|GCONV_PATH|LOCPATH|NLSPATH)$/;

/** The tools for these variables where the programs of the host are. */
export const HOST_TOOLS = { env: ['/usr/bin/env'], unchanged: ['/usr/bin/nice', '-n', '0'] } as const;

/**
 * Moves loader variables behind env(1), so that they apply to the container's program only: the tools before it still
 * have podrun's rights, and would complain in the container's log. A program name with `=` would be a variable for env,
 * so nice(1) without a change stands before it.
 */
export function moveLoaderVariables(
  call: ProgramCall,
  { env: before, unchanged }: Pick<InsideTools, 'env' | 'unchanged'> = HOST_TOOLS,
): ProgramCall {
  const { argv, env } = call;
  const variables = Object.entries(env).filter(([name]) => LOADER_VARIABLE.test(name));
  if (variables.length === 0) return call;
  const assignments = variables.map(([name, value]) => `${name}=${value}`);
  return {
    ...call,
    argv: [...before, ...assignments, ...(argv[0].includes('=') ? unchanged : []), ...argv],
    env: Object.fromEntries(Object.entries(env).filter(([name]) => !LOADER_VARIABLE.test(name))),
  };
}
