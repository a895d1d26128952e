import { closeSync, openSync, readSync } from 'node:fs';
import { endianness } from 'node:os';
import { quietly } from '../../quietly.ts';
import { runHelper } from '../base/helper.ts';
import { joinPrefix, type NetworkJoin } from '../base/join.ts';

/** A TCP socket that accepts connections. */
export interface Listener {
  /** `0.0.0.0`, `127.0.0.1`, `::`, `::1`; other IPv6 addresses in full. */
  readonly address: string;
  readonly port: number;
  /** The number of the socket on this machine. */
  readonly inode: string;
  /** The user who made it. */
  readonly uid: number;
}

const LISTEN = '0A';

/** Parses the listening sockets in /proc/net/tcp or tcp6. @see proc(5) */
export function parseListeners(text: string): Listener[] {
  return text.split('\n').flatMap((line) => {
    const [, local = '', , state, , , , uid, , inode] = line.trim().split(/\s+/);
    const [, words, port] = /^([\dA-F]{8}|[\dA-F]{32}):([\dA-F]{4})$/.exec(local) ?? [];
    if (state !== LISTEN || words === undefined || port === undefined || inode === undefined) return [];
    return [{ address: addressOf(words), port: Number.parseInt(port, 16), inode, uid: Number(uid) }];
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
function listenersOn(ports: readonly number[], pid?: number): Listener[] {
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
