import type { Container, Probe, StoredPod } from '../../api/index.ts';
import { answeredByOther, type PortOwner, type ProbeOutcome, resolvePort } from '../../lifecycle/index.ts';
import {
  type HeldSocket,
  isHeld,
  isProcessOf,
  type Listener,
  listenersIn,
  socketHeldBy,
  type SocketOwner,
} from '../../runtime/index.ts';
import type { PortOwners } from './port-owners.ts';

/** A probe of a Pod in the network of this machine. */
export interface ProbedSubject {
  readonly pod: StoredPod;
  readonly container: Container;
  readonly probe: Probe;
  /** The address that is probed. */
  readonly podIP: string;
  /** The main processes of the Pod's containers. */
  readonly mains: () => readonly number[];
}

/** A server for one connection closes its socket between its response and a look at it. */
const LOOKS_MAX = 3;

/**
 * Finds out whether a Pod itself has responded to a probe. In the network of the host, another program may listen on
 * the probed port. Each socket is looked up once: its responses count as long as its process has it.
 */
export class OwnSockets {
  readonly #owners: PortOwners;
  /** By Pod and port. */
  readonly #own = new Map<string, HeldSocket>();
  /** The owners of other sockets, by inode. */
  readonly #known = new Map<string, readonly SocketOwner[]>();

  constructor(owners: PortOwners) {
    this.#owners = owners;
  }

  /** The outcome that counts: a response of another program is a failure that names it. Linux; unchanged elsewhere. */
  judge(subject: ProbedSubject, outcome: ProbeOutcome): ProbeOutcome | Promise<ProbeOutcome> {
    if (process.platform !== 'linux' || !isAnswer(outcome)) return outcome;
    const port = probedPort(subject.probe, subject.container);
    if (port === undefined) return outcome;
    const known = this.#own.get(keyOf(subject, port));
    return known !== undefined && isHeld(known) ? outcome : this.#look(subject, port, outcome);
  }

  /** Forgets the sockets of a Pod that has ended. */
  forget({ metadata: { uid } }: StoredPod): void {
    for (const key of this.#own.keys()) if (key.startsWith(`${uid} `)) this.#own.delete(key);
  }

  async #look(subject: ProbedSubject, port: number, outcome: ProbeOutcome): Promise<ProbeOutcome> {
    this.#own.delete(keyOf(subject, port));
    for (let looks = 0; looks < LOOKS_MAX; looks++) {
      const listeners = reachedFirst(await listenersIn(undefined, [port]), subject.podIP);
      if (listeners.length === 0) return outcome;
      const { own, mayBeOwn, other } = await this.#whose(subject, listeners);
      if (own !== undefined) this.#own.set(keyOf(subject, port), own);
      // The kernel chooses one of the sockets for each connection.
      if (own !== undefined || mayBeOwn) return other === undefined ? outcome : { ...outcome, answeredBy: other };
      if (other !== undefined) return { result: 'failure', output: answeredByOther(port, other), answeredBy: other };
    }
    return outcome;
  }

  /** Nothing is found when all of the sockets have been closed. */
  async #whose({ pod, mains }: ProbedSubject, listeners: readonly Listener[]): Promise<Whose> {
    const processes = { mark: `${pod.metadata.uid}/`, mains: mains() };
    let own = socketHeldBy(processes, new Set(listeners.map(({ inode }) => inode)));
    const rest = listeners.filter(({ inode }) => inode !== own?.inode);
    const unseen = await this.#findOwners(rest);
    let other: PortOwner | undefined;
    let mayBeOwn = false;
    for (const { inode, port, uid } of rest) {
      const owners = this.#known.get(inode) ?? [];
      const ownOwner = owners.find(({ pid }) => isProcessOf(pid, processes));
      if (ownOwner !== undefined) own = { ...ownOwner, inode };
      else if (owners.length > 0) other ??= this.#owners.nameOf(owners[0], pod);
      // It is of another user, or has more rights than podrun: the Pod may have such a process.
      else if (unseen.some((pid) => isProcessOf(pid, processes))) mayBeOwn = true;
      else if (await isOpen(inode, port)) other ??= { type: 'unknown', uid };
    }
    return { own, mayBeOwn, other };
  }

  /** Finds the owners of the sockets that are not known. Returns the processes whose sockets podrun may not see. */
  async #findOwners(listeners: readonly Listener[]): Promise<readonly number[]> {
    for (const [inode, owners] of this.#known) {
      if (!owners.some((owner) => isHeld({ ...owner, inode }))) this.#known.delete(inode);
    }
    const unknown = listeners.filter(({ inode }) => !this.#known.has(inode));
    if (unknown.length === 0) return [];
    const { of, unseen } = await this.#owners.ofListeners(unknown, false);
    for (const [inode, owners] of of) if (owners.length > 0) this.#known.set(inode, owners);
    return unseen;
  }
}

interface Whose {
  /** A socket of the Pod. */
  readonly own: HeldSocket | undefined;
  /** True when podrun cannot tell whether a socket is the Pod's. */
  readonly mayBeOwn: boolean;
  /** A process that is not of the Pod. */
  readonly other: PortOwner | undefined;
}

function keyOf({ pod }: ProbedSubject, port: number): string {
  return `${pod.metadata.uid} ${port}`;
}

/** True when something has taken the connection. */
function isAnswer({ result, answer = {}, ...outcome }: ProbeOutcome): boolean {
  if (result === 'success' || result === 'warning') return true;
  const hasTimedOut = 'timedOut' in outcome && outcome.timedOut;
  return result === 'failure' && (hasTimedOut || answer.errno !== 'ECONNREFUSED');
}

async function isOpen(inode: string, port: number): Promise<boolean> {
  return (await listenersIn(undefined, [port])).some((listener) => listener.inode === inode);
}

/**
 * The sockets that get the connections to an address: the ones at this address, else the ones at all IPv4 addresses,
 * else the ones at all addresses. Source: linux net/ipv4/inet_hashtables.c __inet_lookup_listener, compute_score.
 */
function reachedFirst(listeners: readonly Listener[], address: string): Listener[] {
  const levels = [address, '0.0.0.0', '::'].map((level) => listeners.filter((listener) => listener.address === level));
  return levels.find((level) => level.length > 0) ?? [];
}

/** The port of the Pod's own address that a probe uses. Undefined: none. */
export function probedPort({ httpGet, tcpSocket, grpc }: Probe, container: Container): number | undefined {
  if (grpc !== undefined) return grpc.port;
  const action = httpGet ?? tcpSocket;
  if (action === undefined || action.host) return undefined;
  const resolved = resolvePort(action.port, container);
  return resolved.ok ? resolved.port : undefined;
}
