import type { ProgramCall } from './inside.ts';

/** Variables by which the C library loads something else into a program, or reads other files. */
const LOADER_VARIABLE = /^(LD_.*|GLIBC_TUNABLES|GCONV_PATH|LOCPATH|NLSPATH)$/;

/**
 * What a container's variables make the loader load is for its own program, under its own rights and in its own files:
 * what stands before the program still has those of podrun, and would complain in its log. env(1) gives them to the
 * program; a name with `=`, which it would take for a variable, is behind a program that changes nothing.
 */
export function withLoaderVariablesAside(call: ProgramCall): ProgramCall {
  const { argv, env } = call;
  const variables = Object.entries(env).filter(([name]) => LOADER_VARIABLE.test(name));
  if (variables.length === 0) return call;
  const assignments = variables.map(([name, value]) => `${name}=${value}`);
  return {
    ...call,
    argv: [ENV, ...assignments, ...(argv[0].includes('=') ? UNCHANGED : []), ...argv],
    env: Object.fromEntries(Object.entries(env).filter(([name]) => !LOADER_VARIABLE.test(name))),
  };
}

const ENV = '/usr/bin/env';
const UNCHANGED = ['/usr/bin/nice', '-n', '0'] as const;
