import { readdirSync, readlinkSync } from 'node:fs';
import path from 'node:path';
import { type Clock, nextEventLoopTurn } from '../../clock.ts';
import { quietly, readQuietly } from '../../quietly.ts';
import { markIn } from './process-table.ts';

/** A process with a socket. */
export interface SocketOwner {
  readonly pid: number;
  /** The name of its descriptor of the socket. */
  readonly descriptor: string;
  /** The name of its program. */
  readonly program: string;
  /** The id of its container. */
  readonly containerId: string | undefined;
}

/** A socket, and one process that has it. */
export interface HeldSocket extends Pick<SocketOwner, 'pid' | 'descriptor'> {
  readonly inode: string;
}

// The longest time that a search blocks the event loop.
const SLICE_MS = 2;

/** A search that has not begun. It serves all requests that arrive before its start. */
interface PlannedLook {
  readonly inodes: Set<string>;
  readonly owners: Promise<SocketOwners>;
  readonly hurry: () => void;
}

/** The owners of sockets. */
export interface SocketOwners {
  /** By inode. */
  readonly of: ReadonlyMap<string, readonly SocketOwner[]>;
  /** The processes whose sockets podrun may not see. */
  readonly unseen: readonly number[];
}

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
  async of(inodes: readonly string[], isUrgent: boolean): Promise<SocketOwners> {
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

  async #look(inodes: ReadonlySet<string>): Promise<SocketOwners> {
    this.#next = undefined;
    const beganMs = this.#clock.now().monotonicMs;
    const owners = await findOwners([...inodes], this.#clock);
    const endedMs = this.#clock.now().monotonicMs;
    this.#restUntilMs = endedMs + (endedMs - beganMs) / SHARE;
    return owners;
  }
}

/** Finds the processes that own these sockets, by inode, at once. */
async function findOwners(inodes: readonly string[], clock: Clock): Promise<SocketOwners> {
  const owners = new Map<string, SocketOwner[]>(inodes.map((inode) => [inode, []]));
  const unseen: number[] = [];
  let sliceStartMs = clock.now().monotonicMs;
  for (const entry of readdirSync('/proc')) {
    const pid = Number(entry);
    if (!Number.isInteger(pid)) continue;
    const sockets = socketsOf(pid);
    if (sockets === undefined) unseen.push(pid);
    for (const [inode, descriptor] of sockets ?? []) owners.get(inode)?.push(ownerWith(pid, descriptor));
    if (clock.now().monotonicMs - sliceStartMs < SLICE_MS) continue;
    await new Promise<void>(nextEventLoopTurn);
    sliceStartMs = clock.now().monotonicMs;
  }
  return { of: owners, unseen };
}

/** The sockets of a process, of any kind: descriptors by inode. Undefined: podrun may not look, or it has ended. */
export function socketsOf(pid: number): Map<string, string> | undefined {
  const folder = `/proc/${pid}/fd`;
  const descriptors = quietly(() => readdirSync(folder));
  if (descriptors === undefined) return undefined;
  const sockets = new Map<string, string>();
  for (const descriptor of descriptors) {
    const [, inode] = SOCKET.exec(quietly(() => readlinkSync(`${folder}/${descriptor}`)) ?? '') ?? [];
    if (inode !== undefined) sockets.set(inode, descriptor);
  }
  return sockets;
}

const SOCKET = /^socket:\[(\d+)\]$/;

/** True when the process still has the socket. Takes 5 µs. */
export function isHeld({ pid, descriptor, inode }: HeldSocket): boolean {
  return quietly(() => readlinkSync(`/proc/${pid}/fd/${descriptor}`)) === `socket:[${inode}]`;
}

function ownerWith(pid: number, descriptor: string): SocketOwner {
  return { pid, descriptor, program: programOf(pid), containerId: markIn(readQuietly(`/proc/${pid}/environ`)) };
}

/** The name of a process: of its script, where it runs one. Node.js 24 gives its main thread a name of its own. */
function programOf(pid: number): string {
  const name = readQuietly(`/proc/${pid}/comm`).trimEnd();
  const file = name === 'MainThread' ? quietly(() => readlinkSync(`/proc/${pid}/exe`)) : undefined;
  return file === undefined ? name : path.basename(file.replace(/ \(deleted\)$/, ''));
}

/** A process that talks to podrun over TCP. */
export interface ClientProcess {
  readonly pid: number;
  /** The pid of the podrun whose COMMAND the process belongs to. Undefined: none. */
  readonly commandOf: number | undefined;
}

/** The two ends of a connection, as this process sees them. */
interface ConnectionPorts {
  readonly localPort?: number | undefined;
  readonly remotePort?: number | undefined;
}

/** Finds the process of this machine at the other end of a connection: 15 ms. Undefined: podrun can see none. */
export async function clientProcess(
  { localPort, remotePort }: ConnectionPorts,
  clock: Clock,
): Promise<ClientProcess | undefined> {
  if (process.platform !== 'linux' || localPort === undefined || remotePort === undefined) return undefined;
  const [inode] = ['tcp', 'tcp6'].flatMap((file) =>
    inodesBetween(readQuietly(`/proc/self/net/${file}`), remotePort, localPort),
  );
  if (inode === undefined) return undefined;
  const [owner] = (await findOwners([inode], clock)).of.get(inode) ?? [];
  return owner && { pid: owner.pid, commandOf: commandOfMark(owner.containerId) };
}

/** The sockets of connections from one port to another, in /proc/net/tcp or tcp6. @see proc(5) */
function inodesBetween(text: string, from: number, to: number): string[] {
  return text.split('\n').flatMap((line) => {
    const [, local = '', remote = '', , , , , , , inode] = line.trim().split(/\s+/);
    return portOf(local) === from && portOf(remote) === to && inode !== undefined && inode !== '0' ? [inode] : [];
  });
}

function portOf(address: string): number {
  return Number.parseInt(address.slice(address.indexOf(':') + 1), 16);
}

/** The pid of the podrun that has started a COMMAND with this mark. Undefined: it is no mark of a COMMAND. */
export function commandOfMark(mark: string | undefined): number | undefined {
  const [, pid] = /^command-(\d+)-/.exec(mark ?? '') ?? [];
  return pid === undefined ? undefined : Number(pid);
}
