import { closeSync, openSync, readdirSync, readlinkSync, readSync } from 'node:fs';
import { endianness } from 'node:os';
import { quietly, readQuietly, filesIn } from '../../quietly.ts';
import { type Clock, nextEventLoopTurn } from '../../clock.ts';
import { runHelper } from '../base/helper.ts';
import { joinPrefix, type NetworkJoin } from '../base/join.ts';
import { markIn } from './process-table.ts';

/** A TCP socket that accepts connections. */
export interface Listener {
  /** `0.0.0.0`, `127.0.0.1`, `::`, `::1`; other IPv6 addresses in full. */
  readonly address: string;
  readonly port: number;
  /** The number of the socket on this machine. */
  readonly inode: string;
}

/** A process with a listening socket. */
export interface ListenerOwner {
  readonly pid: number;
  /** The name of its program. */
  readonly program: string;
  /** The id of its container. */
  readonly containerId: string | undefined;
}

const LISTEN = '0A';

/** Parses the listening sockets in /proc/net/tcp or tcp6. @see proc(5) */
export function parseListeners(text: string): Listener[] {
  return text.split('\n').flatMap((line) => {
    const [, local = '', , state, , , , , , inode] = line.trim().split(/\s+/);
    const [, words, port] = /^([\dA-F]{8}|[\dA-F]{32}):([\dA-F]{4})$/.exec(local) ?? [];
    if (state !== LISTEN || words === undefined || port === undefined || inode === undefined) return [];
    return [{ address: addressOf(words), port: Number.parseInt(port, 16), inode }];
  });
}

/** Decodes an address: words of four bytes, each in the machine's byte order. */
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
 * The sockets that listen on one of these ports. Takes 0.3 ms. Empty where there is no /proc.
 * @param pid a process in the network to search. Undefined: podrun's own network
 */
export function listenersOn(ports: readonly number[], pid?: number): Listener[] {
  const folder = `/proc/${pid ?? 'self'}/net`;
  const listeners = TABLES.flatMap((file) => parseListeners(listenersFirst(`${folder}/${file}`)));
  return listeners.filter(({ port }) => ports.includes(port));
}

/** The same for a private network. A process reads the tables inside when podrun only has the network open (5 ms). */
export async function listenersIn(network: NetworkJoin | undefined, ports: readonly number[]): Promise<Listener[]> {
  if (network?.files === undefined) return listenersOn(ports, network?.holderPid);
  const [program, ...args] = joinPrefix(network);
  const outcome = await runHelper({ program, args: [...args, 'cat', ...TABLES.map((file) => `/proc/net/${file}`)] });
  return outcome.ok ? parseListeners(outcome.stdout).filter(({ port }) => ports.includes(port)) : [];
}

const TABLES = ['tcp', 'tcp6'];

const CHUNK_BYTES = 64 * 1024;

/**
 * The first part of such a table, with all listening sockets: connections come after them. With a thousand probed
 * containers there are tens of thousands of rows, most of them of closed connections.
 * @see https://www.kernel.org/doc/html/latest/networking/proc_net_tcp.html
 */
function listenersFirst(file: string): string {
  const table = quietly(() => openSync(file, 'r'));
  if (table === undefined) return '';
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  let text = '';
  try {
    for (;;) {
      const length = quietly(() => readSync(table, chunk)) ?? 0;
      text += chunk.toString('latin1', 0, length);
      if (length === 0 || endsWithConnection(text)) return text;
    }
  } finally {
    closeSync(table);
  }
}

/** True when the last complete row is a connection. */
function endsWithConnection(text: string): boolean {
  const end = text.lastIndexOf('\n');
  const row = text.slice(text.lastIndexOf('\n', end - 1) + 1, end);
  const [number = '', , , state] = row.trim().split(/\s+/);
  return /^\d+:$/.test(number) && state !== LISTEN;
}

// The longest time that a search blocks the event loop.
const SLICE_MS = 2;

/** A search that has not begun. It serves all requests that arrive before its start. */
interface PlannedLook {
  readonly inodes: Set<string>;
  readonly owners: Promise<Owners>;
  readonly hurry: () => void;
}

type Owners = ReadonlyMap<string, readonly ListenerOwner[]>;

// The share of the time that searches may take.
const SHARE = 0.05;

/**
 * Finds the processes that own sockets, as far as permissions allow. A search takes 15 ms, and much longer with a
 * thousand containers: requests that arrive meanwhile share the next one.
 */
export class OwnerSearch {
  readonly #clock: Clock;
  #next: PlannedLook | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #restUntilMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Finds the owners by inode.
   * @param isUrgent false: the request can wait until a search is due
   */
  async of(inodes: readonly string[], isUrgent: boolean): Promise<Owners> {
    this.#next ??= this.#plan();
    for (const inode of inodes) this.#next.inodes.add(inode);
    if (isUrgent) this.#next.hurry();
    return this.#next.owners;
  }

  #plan(): PlannedLook {
    const inodes = new Set<string>();
    let hurry = (): void => undefined;
    const due = new Promise<void>((resolve) => {
      const alarm = this.#clock.wakeAt(this.#restUntilMs, resolve);
      hurry = () => {
        alarm.cancel();
        resolve();
      };
    });
    const owners = this.#last.then(() => due).then(() => this.#look(inodes));
    this.#last = owners;
    return { inodes, owners, hurry };
  }

  async #look(inodes: ReadonlySet<string>): Promise<Owners> {
    this.#next = undefined;
    const beganMs = this.#clock.now().monotonicMs;
    const owners = await listenerOwners([...inodes], this.#clock);
    const endedMs = this.#clock.now().monotonicMs;
    this.#restUntilMs = endedMs + (endedMs - beganMs) / SHARE;
    return owners;
  }
}

/** The processes that own these sockets, by inode. */
async function listenerOwners(inodes: readonly string[], clock: Clock): Promise<Owners> {
  const owners = new Map<string, ListenerOwner[]>(inodes.map((inode) => [inode, []]));
  let sliceStartMs = clock.now().monotonicMs;
  for (const entry of readdirSync('/proc')) {
    const pid = Number(entry);
    if (!Number.isInteger(pid)) continue;
    for (const inode of socketsOf(pid)) owners.get(inode)?.push(ownerWith(pid));
    if (clock.now().monotonicMs - sliceStartMs < SLICE_MS) continue;
    await new Promise<void>(nextEventLoopTurn);
    sliceStartMs = clock.now().monotonicMs;
  }
  return owners;
}

/** The inodes of a process's sockets of any kind. Empty for processes of other users. */
function socketsOf(pid: number): Set<string> {
  const folder = `/proc/${pid}/fd`;
  const sockets = new Set<string>();
  for (const fd of filesIn(folder)) {
    const [, inode] = /^socket:\[(\d+)\]$/.exec(quietly(() => readlinkSync(`${folder}/${fd}`)) ?? '') ?? [];
    if (inode !== undefined) sockets.add(inode);
  }
  return sockets;
}

function ownerWith(pid: number): ListenerOwner {
  const program = readQuietly(`/proc/${pid}/comm`).trimEnd();
  return { pid, program, containerId: markIn(readQuietly(`/proc/${pid}/environ`)) };
}
