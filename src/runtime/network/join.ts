import type { Inside, ProgramCall } from '../inside.ts';

/** A private network, as its processes share it, and how others get in. */
export interface NetworkJoin {
  readonly nsenter: string;
  /** A process of it that lives as long as the network. */
  readonly holderPid: number;
  /** It belongs to a user namespace, in which those who enter have to be as well. */
  readonly isUsers: boolean;
}

/** What stands before a command so that it runs in a private network: it becomes that command, with the same pid. */
export function joinWords({ nsenter, holderPid, isUsers }: NetworkJoin): [string, ...string[]] {
  // Without --preserve-credentials, nsenter would become root of the user namespace.
  const user = isUsers ? ['--user', '--preserve-credentials'] : [];
  return [nsenter, '--target', String(holderPid), ...user, '--net', '--'];
}

/** The call that has a program run in a private network. */
export function inNetwork(network: NetworkJoin, { file, argv, env, cwd }: ProgramCall): ProgramCall {
  const words = joinWords(network);
  const [, ...args] = argv;
  return { file: words[0], argv: [...words, file, ...args], env, cwd };
}

/** The same inside of a container, whose programs are in a private network. */
export function insideNetwork(network: NetworkJoin, inside: Inside): Inside {
  return {
    pathOf: (path) => inside.pathOf(path),
    enter: (call) => inNetwork(network, inside.enter(call)),
    programOf: (pid) => inside.programOf(pid),
    isSealed: inside.isSealed,
    kill: () => inside.kill(),
    end: () => inside.end(),
  };
}
