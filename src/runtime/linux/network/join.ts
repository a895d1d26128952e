import type { Inside, ProgramCall } from '../../inside.ts';

/** A private network that its processes share, and the way into it. */
export interface NetworkJoin {
  readonly nsenter: string;
  /** A process that lives as long as the network. */
  readonly holderPid: number;
  /** True when the network belongs to a user namespace, which must be joined as well. */
  readonly isUsers: boolean;
}

/** The prefix before a command that runs in a private network. The command keeps the pid. */
export function joinPrefix({ nsenter, holderPid, isUsers }: NetworkJoin): [string, ...string[]] {
  // Without --preserve-credentials, nsenter would become root of the user namespace.
  const user = isUsers ? ['--user', '--preserve-credentials'] : [];
  return [nsenter, '--target', String(holderPid), ...user, '--net', '--'];
}

/** The call that runs a program in a private network. */
export function inNetwork(network: NetworkJoin, { file, argv, env, cwd }: ProgramCall): ProgramCall {
  const prefix = joinPrefix(network);
  const [, ...args] = argv;
  return { file: prefix[0], argv: [...prefix, file, ...args], env, cwd };
}

/** The inside of a container whose programs run in a private network. */
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
