import type { LaunchStep } from './step.ts';

/** The value that container runtimes set for a container with a terminal. */
const TERM = 'xterm';

/** Opens standard input or a terminal where the manifest asks for it. */
export const terminalStep: LaunchStep = {
  prepare({ container: { stdin = false, tty = false } }, { defaults }) {
    return { ok: true, changes: { stdin, tty, ...(tty ? { defaults: { ...defaults, TERM } } : {}) } };
  },
};
