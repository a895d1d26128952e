import { readlinkSync } from 'node:fs';
import { quietly } from '../../../quietly.ts';
import { killGroup } from '../../../runtime/index.ts';
import type { KeptContainer } from './protocol.ts';

/** Ends the private network of a container that still runs. */
export function endNetwork({ launch, running }: KeptContainer): void {
  const [holder, network] = [launch.network?.holderPid, networkOf(running.pid)];
  // Another process may have the pid of a holder that has ended.
  if (holder !== undefined && network !== undefined && networkOf(holder) === network) killGroup(holder);
}

/** The number of the network that a process is in. Undefined: the process has ended. */
function networkOf(pid: number): string | undefined {
  return quietly(() => readlinkSync(`/proc/${pid}/ns/net`));
}
