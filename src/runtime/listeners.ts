import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { endianness } from 'node:os';
import { type Clock, inNextLap } from '../clock.ts';
import { markIn } from './process-table.ts';

/** A TCP socket that takes connections. */
export interface Listener {
  /** `0.0.0.0`, `127.0.0.1`, `::`, `::1`; other IPv6 addresses in full. */
  readonly address: string;
  readonly port: number;
  /** Names the socket among those of this machine. */
  readonly inode: string;
}

/** A process that has a listener open. */
export interface ListenerOwner {
  readonly pid: number;
  /** The name of its program. */
  readonly program: string;
  /** Of the container that it belongs to. */
  readonly containerId: string | undefined;
}

const LISTEN = '0A';

/** Reads /proc/net/tcp or tcp6: the rows of sockets that listen. @see proc(5) */
export function parseListeners(text: string): Listener[] {
  return text.split('\n').flatMap((line) => {
    const [, local = '', , state, , , , , , inode] = line.trim().split(/\s+/);
    const [, words, port] = /^([\dA-F]{8}|[\dA-F]{32}):([\dA-F]{4})$/.exec(local) ?? [];
    if (state !== LISTEN || words === undefined || port === undefined || inode === undefined) return [];
    return [{ address: addressOf(words), port: Number.parseInt(port, 16), inode }];
  });
}

/** Words of four bytes, each as the machine keeps a number. */
function addressOf(words: string): string {
  const bytes = (words.match(/.{8}/g) ?? []).flatMap((word) => {
    const inOrder = Array.from(Buffer.from(word, 'hex'));
    return endianness() === 'LE' ? inOrder.toReversed() : inOrder;
  });
  if (bytes.length === 4) return bytes.join('.');
  const hex = Buffer.from(bytes).toString('hex');
  if (/^0+$/.test(hex)) return '::';
  if (/^0+1$/.test(hex)) return '::1';
  if (/^0{20}f{4}/.test(hex)) return bytes.slice(12).join('.');
  return (hex.match(/.{4}/g) ?? []).join(':');
}

/**
 * Who listens on one of these ports, 0.3 ms. Where there is no /proc, nobody knows: none.
 * @param pid a process whose network is meant; undefined: our own
 */
export function listenersOn(ports: readonly number[], pid?: number): Listener[] {
  const folder = `/proc/${pid ?? 'self'}/net`;
  const listeners = ['tcp', 'tcp6'].flatMap((file) => parseListeners(readQuietly(`${folder}/${file}`)));
  return listeners.filter(({ port }) => ports.includes(port));
}

// How long a look at the processes may keep the event loop from its work, in one go.
const SLICE_MS = 2;

/** The processes that have these sockets open, by inode: all that we may look into. Takes about 15 ms. */
export async function listenerOwners(
  inodes: readonly string[],
  clock: Clock,
): Promise<ReadonlyMap<string, readonly ListenerOwner[]>> {
  const owners = new Map<string, ListenerOwner[]>(inodes.map((inode) => [inode, []]));
  let sliceStartMs = clock.now().monotonicMs;
  for (const entry of readdirSync('/proc')) {
    const pid = Number(entry);
    if (!Number.isInteger(pid)) continue;
    for (const inode of socketsOf(pid)) owners.get(inode)?.push(ownerWith(pid));
    if (clock.now().monotonicMs - sliceStartMs < SLICE_MS) continue;
    await new Promise<void>((resolve) => {
      inNextLap(resolve);
    });
    sliceStartMs = clock.now().monotonicMs;
  }
  return owners;
}

/** Each once, of whatever kind. Empty for processes of others. */
function socketsOf(pid: number): Set<string> {
  const folder = `/proc/${pid}/fd`;
  const sockets = new Set<string>();
  for (const fd of quietly(() => readdirSync(folder)) ?? []) {
    const [, inode] = /^socket:\[(\d+)\]$/.exec(quietly(() => readlinkSync(`${folder}/${fd}`)) ?? '') ?? [];
    if (inode !== undefined) sockets.add(inode);
  }
  return sockets;
}

function ownerWith(pid: number): ListenerOwner {
  const program = readQuietly(`/proc/${pid}/comm`).trimEnd();
  return { pid, program, containerId: markIn(readQuietly(`/proc/${pid}/environ`)) };
}

function readQuietly(file: string): string {
  return quietly(() => readFileSync(file, 'latin1')) ?? '';
}

/** Processes end while they are looked at, and some are somebody else's. */
function quietly<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}
