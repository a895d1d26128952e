import { readlinkSync } from 'node:fs';
import { quietly, readQuietly } from '../../quietly.ts';
import { factsOf } from './process-identity.ts';
import { childrenOfThreads, markIn } from './process-table.ts';
import { type HeldSocket, socketsOf } from './socket-owners.ts';

/** The running containers of a Pod. */
export interface ContainerProcesses {
  /** The beginning of the ids of its containers. */
  readonly mark: string;
  /** The main processes. */
  readonly mains: readonly number[];
}

/** Finds one of these sockets in the main processes and their descendants. Takes 0.1 ms for a small server. Linux. */
export function socketHeldBy({ mains }: ContainerProcesses, inodes: ReadonlySet<string>): HeldSocket | undefined {
  const seen = new Set(mains);
  // The set grows while it is read: the descendants are added to its end.
  for (const pid of seen) {
    for (const [inode, descriptor] of socketsOf(pid) ?? []) if (inodes.has(inode)) return { pid, descriptor, inode };
    for (const child of childrenOfThreads(pid)) seen.add(child);
  }
  return undefined;
}

/**
 * True for a process of these containers: by its mark or an ancestor's mark, its group or session, or its namespaces.
 * A daemon may have lost all of them. One that began after the containers, as the same user, with a session of its own
 * and no parent is taken for theirs, unless it has another mark. Linux.
 */
export function isProcessOf(pid: number, { mark, mains }: ContainerProcesses): boolean {
  const isMain = (at: number): boolean => mains.includes(at);
  for (let at = pid; at > 1 && at !== process.pid;) {
    if (isMain(at)) return true;
    const marked = markOf(at);
    if (marked !== undefined) return marked.startsWith(mark);
    const facts = factsOf(at);
    if (facts === undefined) return false;
    if (isMain(facts.groupId) || isMain(facts.sessionId)) return true;
    at = facts.parentPid;
  }
  return sharesNamespace(pid, mains) || isDaemonSince(pid, mains);
}

function markOf(pid: number): string | undefined {
  return markIn(readQuietly(`/proc/${pid}/environ`));
}

/** True when it is in a namespace of a main process that is not podrun's. */
function sharesNamespace(pid: number, mains: readonly number[]): boolean {
  return ['mnt', 'pid'].some((kind) => {
    const namespaceOf = (of: number | string): string | undefined =>
      quietly(() => readlinkSync(`/proc/${of}/ns/${kind}`));
    const namespace = namespaceOf(pid);
    if (namespace === undefined || namespace === namespaceOf('self')) return false;
    return mains.some((main) => [main, ...childrenOfThreads(main)].some((of) => namespaceOf(of) === namespace));
  });
}

function isDaemonSince(pid: number, mains: readonly number[]): boolean {
  const facts = factsOf(pid);
  if (facts?.parentPid !== 1) return false;
  return mains.some((main) => {
    const startTime = factsOf(main)?.startTime;
    return startTime !== undefined && Number(startTime) <= Number(facts.startTime) && userOf(main) === userOf(pid);
  });
}

function userOf(pid: number): string | undefined {
  return /^Uid:\s+(\d+)/m.exec(readQuietly(`/proc/${pid}/status`))?.[1];
}
