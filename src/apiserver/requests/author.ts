import type { Socket } from 'node:net';
import type { Clock } from '../../clock.ts';
import type { DeletionAuthor } from '../../lifecycle/index.ts';
import { clientProcess, type ClientProcess } from '../../runtime/index.ts';
import type { ApiRequest } from '../base/request.ts';

/** The clients by their connections: most clients send many requests over one. */
const clients = new WeakMap<Socket, Promise<ClientProcess | undefined>>();

/**
 * The author of a request that deletes Pods or workloads. Undefined for the ServiceAccount of a Pod: a controller, as
 * an operator has.
 */
export async function authorOf({ user, headers, raw }: ApiRequest, clock: Clock): Promise<DeletionAuthor | undefined> {
  if (user.name.startsWith('system:serviceaccount:')) return undefined;
  const { socket } = raw;
  const client = clients.get(socket) ?? clientProcess(socket, clock);
  clients.set(socket, client);
  const tool = headers['user-agent'] ?? 'a client without a name';
  return { user: user.name, tool, pid: (await client)?.pid, commandOf: (await client)?.commandOf };
}
