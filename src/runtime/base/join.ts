import { type Inside, insideWith, type ProgramCall } from './inside.ts';

/** A private network that its processes share, and the way into it. */
export interface NetworkJoin {
  readonly nsenter: string;
  /** A process that lives as long as the network. */
  readonly holderPid: number;
  /** True when the network belongs to a user namespace, which must be joined as well. */
  readonly isUsers: boolean;
  /** The holder's open files of the namespaces. Undefined: the holder itself is in the network. */
  readonly files?: NamespaceFiles | undefined;
  /** The id of the cluster that connects the network. Undefined: none does. */
  readonly cluster?: string | undefined;
}

/** The descriptors of a network namespace and of its user namespace. */
export interface NamespaceFiles {
  readonly net: number;
  readonly user: number;
}

/** The path of one of the network's namespaces. */
export function namespacePath({ holderPid, files }: NetworkJoin, kind: keyof NamespaceFiles): string {
  return files === undefined ? `/proc/${holderPid}/ns/${kind}` : `/proc/${holderPid}/fd/${files[kind]}`;
}

/** The prefix before a command that runs in a private network. The command keeps the pid. */
export function joinPrefix(network: NetworkJoin): [string, ...string[]] {
  // Without --preserve-credentials, nsenter would become root of the user namespace.
  const user = network.isUsers ? [`--user=${namespacePath(network, 'user')}`, '--preserve-credentials'] : [];
  return [network.nsenter, ...user, `--net=${namespacePath(network, 'net')}`, '--'];
}

/** The call that runs a program in a private network. */
export function inNetwork(network: NetworkJoin, { file, argv, env, cwd }: ProgramCall): ProgramCall {
  const prefix = joinPrefix(network);
  const [, ...args] = argv;
  return { file: prefix[0], argv: [...prefix, file, ...args], env, cwd };
}

/** The inside of a container whose programs run in a private network. */
export function insideNetwork(network: NetworkJoin, inside: Inside): Inside {
  return insideWith(inside, { enter: (call) => inNetwork(network, inside.enter(call)) });
}
