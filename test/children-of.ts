import { readdirSync } from 'node:fs';
import { factsOf } from '../src/runtime/watch/process-identity.ts';

/**
 * The children of a process, whichever of its threads started them. Each process is asked for its parent: the list in
 * `/proc/PID/task/TID/children` may leave one out while another one ends.
 * @see proc_pid_children(5)
 */
export function childrenOf(parent: number): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.map(Number).filter((pid) => factsOf(pid)?.parentPid === parent);
}
