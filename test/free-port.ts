import { once } from 'node:events';
import { createServer } from 'node:net';

/** The kernel takes ports for others from 32768 on, and node ports begin at 30000. */
const FIRST = 10_000;
const PORTS_OF_A_PROCESS = 20;
const PROCESSES = 1000;

let calls = 0;

/**
 * A port that no program uses at any address. Each process of the tests has some of its own: no other test takes the
 * port before the program listens for which it is.
 */
export async function freePort(): Promise<number> {
  const first = FIRST + (process.pid % PROCESSES) * PORTS_OF_A_PROCESS;
  for (let attempts = 0; attempts < PORTS_OF_A_PROCESS; attempts++) {
    const port = first + (calls++ % PORTS_OF_A_PROCESS);
    if (await isFree(port)) return port;
  }
  throw new Error(`each port from ${first} to ${first + PORTS_OF_A_PROCESS - 1} is in use`);
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port);
  try {
    await once(server, 'listening');
  } catch {
    return false;
  }
  await new Promise((resolve) => server.close(resolve));
  return true;
}
