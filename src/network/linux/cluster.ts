import {
  killProcess,
  type NamespaceFiles,
  type NetworkJoin,
  type ProcessIdentity,
  runHelper,
  startTimeOf,
} from '../../runtime/index.ts';
import { BridgeGuard } from './bridge-guard.ts';
import {
  batchCommand,
  clusterCommand,
  holderCommand,
  linkCommand,
  linkName,
  type NetworkMode,
  NODE_NETWORK_LINES,
  nodeNetworkLine,
  type NodePort,
  nodePortLine,
  podNetworkCommand,
  type PodNetworkRequest,
  setLinkCommand,
} from './cluster-commands.ts';
import { type HeldNetwork, LastingNetwork } from './holder.ts';
import { Nft } from './nft.ts';
import { closeFiles, inodeOf, makeNetwork, type NewNetwork, openNamespaces } from './setup.ts';
import type { NetworkTools, Sysctls } from './tools.ts';

export interface ClusterOptions {
  readonly tools: NetworkTools;
  readonly mode: NetworkMode;
  /** The path of nft, where its rules can guard the bridge. */
  readonly nft?: string | undefined;
  /**
   * The state folder for whose Pods the networks outlive podrun: then processes hold them, otherwise podrun's open
   * files.
   */
  readonly heldFor: string | undefined;
}

/** A way into the cluster of another podrun. */
export interface ClusterEntrance {
  /** The process that holds the cluster, or with `files` a podrun that has it open. */
  readonly pid: number;
  readonly files?: NamespaceFiles | undefined;
  /** The id of the cluster. */
  readonly cluster?: string | undefined;
}

/**
 * Records the process that is to hold a cluster after the end of podrun. Returns the entry of the cluster on record:
 * another podrun may have been faster.
 */
export type ClusterClaim = (pid: number, cluster: string) => ClusterEntrance;

/**
 * The network of a run: a bridge to which each Pod's own network is connected. Nothing of it has a name on this
 * machine, so it is gone as soon as no process and no open file holds it.
 */
export class Cluster {
  readonly #options: ClusterOptions;
  readonly #files: NamespaceFiles;
  /** Undefined: there is no nft. */
  readonly #guard: BridgeGuard | undefined;
  /** The process that holds it. Undefined: only podrun's files do. */
  holder: ProcessIdentity | undefined;

  /** The same for all podruns that share it, and for no other cluster. Undefined: podrun shares it with none. */
  readonly id: string | undefined;

  private constructor(
    options: ClusterOptions,
    files: NamespaceFiles,
    { holderPid, id }: { readonly holderPid: number | undefined; readonly id: string | undefined },
  ) {
    this.#options = options;
    this.#files = files;
    this.#guard = options.nft === undefined ? undefined : new BridgeGuard(new Nft(options.nft, this.join));
    this.id = id;
    this.holder = holderPid === undefined ? undefined : identityOf(holderPid);
  }

  /**
   * Makes the network (10 to 20 ms).
   * @param claim undefined: the network ends with podrun
   * @throws {Error} with the messages of the programs
   */
  static async open(options: ClusterOptions, claim?: ClusterClaim): Promise<Cluster> {
    const { tools, heldFor } = options;
    let entrance: ClusterEntrance | undefined;
    const hold = ({ pid }: NewNetwork): boolean => {
      entrance = claim?.(pid, `${pid}-${startTimeOf(pid)}`);
      return entrance?.pid === pid;
    };
    const made = await makeNetwork(clusterCommand(tools, heldFor), { hold });
    if (entrance === undefined || entrance.pid === made.pid) {
      return new Cluster(options, made.files, { holderPid: entrance?.pid, id: entrance?.cluster });
    }
    await made.end();
    return Cluster.adopt(options, entrance);
  }

  /**
   * Takes over the network of another podrun.
   * @param entrance the caller knows that its process is the right one
   * @throws {Error} when that has just ended
   */
  static adopt(options: ClusterOptions, { pid, files, cluster }: ClusterEntrance): Cluster {
    const holderPid = files === undefined ? pid : undefined;
    return new Cluster(options, openNamespaces(pid, files), { holderPid, id: cluster });
  }

  /**
   * Has another process hold the network after its holder has died: podrun's open files have kept it.
   * @throws {Error} with the messages of the programs
   */
  async hold(claim: ClusterClaim): Promise<void> {
    let pid: number | undefined;
    const hold = (made: NewNetwork): boolean => {
      pid = claim(made.pid, this.id ?? '').pid;
      return pid === made.pid;
    };
    const made = await makeNetwork(holderCommand(this.#options.tools, this.join, this.#options.heldFor), { hold });
    if (pid === made.pid) closeFiles(made.files);
    else await made.end();
    this.holder = identityOf(pid ?? made.pid);
  }

  /** The way in. Processes there may change the network. */
  get join(): NetworkJoin {
    const { tools, mode } = this.#options;
    const { nsenter } = tools;
    return { nsenter, holderPid: process.pid, isUsers: mode === 'user', files: this.#files };
  }

  /**
   * Makes the network of a Pod (15 to 25 ms).
   * @param record called with the way into it, before it outlives podrun
   * @throws {Error} with the messages of the programs
   */
  addPod(address: string, sysctls: Sysctls, record?: (join: NetworkJoin) => void): Promise<HeldNetwork> {
    return this.#add({ address, isOfNode: false, sysctls }, record);
  }

  async #add(
    { address, isOfNode, sysctls }: Pick<PodNetworkRequest, 'address' | 'isOfNode' | 'sysctls'>,
    record: (join: NetworkJoin) => void = () => undefined,
  ): Promise<HeldNetwork> {
    const { tools, mode, heldFor } = this.#options;
    const [uid, gid] = [process.getuid?.() ?? 0, process.getgid?.() ?? 0];
    const cluster = this.join;
    const command = podNetworkCommand({ tools, mode, cluster, address, isOfNode, sysctls, uid, gid, heldFor });
    const connect = async ({ pid, files, inode }: NewNetwork): Promise<void> => {
      // In a user namespace, ip may not look into podrun's files: the kernel checks its right over the process instead.
      const peer = mode === 'root' ? `/proc/${process.pid}/fd/${files.net}` : String(pid);
      const { argv, input } = linkCommand(tools, cluster, { link: linkName(inode), address, peer });
      await run(argv, input);
    };
    const base = { nsenter: tools.nsenter, isUsers: mode === 'user', cluster: this.id };
    const ownJoin = ({ files }: NewNetwork): NetworkJoin => ({ ...base, holderPid: process.pid, files });
    const heldJoin = ({ pid }: NewNetwork): NetworkJoin => ({ ...base, holderPid: pid });
    const hold = (network: NewNetwork): boolean => {
      record(heldFor === undefined ? ownJoin(network) : heldJoin(network));
      return heldFor !== undefined;
    };
    const made = await makeNetwork(command, { connect, hold });
    const end = (): Promise<void> => made.end();
    await this.#guard?.admit(linkName(made.inode), address).catch(async (error: unknown) => {
      await end();
      throw error;
    });
    return heldFor === undefined ? { join: ownJoin(made), end } : new LastingNetwork(heldJoin(made), made.files, end);
  }

  /**
   * Makes the network of a node, for its Pods that use it. Host ports of its other Pods stay at its address.
   * @param record as for addPod
   * @throws {Error} with the messages of the programs
   */
  async addNode(address: string, record?: (join: NetworkJoin) => void): Promise<HeldNetwork> {
    const held = this.ofNode(address, await this.#add({ address, isOfNode: true, sysctls: [] }, record));
    try {
      await this.#batch(NODE_NETWORK_LINES).catch(() => undefined);
      await this.#batch(nodeNetworkLine('add', address));
    } catch (error) {
      await held.end();
      throw error;
    }
    return held;
  }

  /** The network of a node, at whose end the node's address is the cluster's own again. */
  ofNode(address: string, held: HeldNetwork): HeldNetwork {
    return {
      get join() {
        return held.join;
      },
      end: async () => {
        await this.#batch(nodeNetworkLine('del', address)).catch(() => undefined);
        await held.end();
      },
    };
  }

  /**
   * Keeps ports at the addresses of nodes for the cluster, though a node has a network, and gives the rest back to it.
   * @throws {Error} with the message of ip
   */
  async setNodePorts(kept: readonly NodePort[], released: readonly NodePort[]): Promise<void> {
    const keep = kept.map((port) => nodePortLine('add', port));
    const release = (ports: readonly NodePort[]): string[] => ports.map((port) => nodePortLine('del', port));
    await this.#batch([...release(released), ...keep].join('')).catch(async () => {
      // A former podrun may have kept some of them, or released them.
      for (const line of release([...kept, ...released])) await this.#batch(line).catch(() => undefined);
      await this.#batch(keep.join(''));
    });
  }

  async #batch(lines: string): Promise<void> {
    await run(batchCommand(this.#options.tools, this.join), lines);
  }

  /**
   * Cuts a Pod off from everything outside of it, or connects it again.
   * @throws {Error} with the message of the program
   */
  async setLink(pod: NetworkJoin, state: 'up' | 'down'): Promise<void> {
    await run(setLinkCommand(this.#options.tools, this.join, linkName(inodeOf(pod)), state));
  }

  /**
   * Lets go of the network, which is gone when nothing else holds it: Pods that still run lose their connections.
   * @param ends true to end its holder, too
   */
  close({ ends }: { readonly ends: boolean }): void {
    if (ends && this.holder !== undefined) killProcess(this.holder);
    closeFiles(this.#files);
  }
}

async function run([program = '', ...args]: readonly string[], input?: string): Promise<void> {
  const outcome = await runHelper({ program, args, env: { LC_ALL: 'C' }, ...(input === undefined ? {} : { input }) });
  if (!outcome.ok) throw new Error(outcome.why);
}

/** Undefined: it has ended. */
function identityOf(pid: number): ProcessIdentity | undefined {
  const startTime = startTimeOf(pid);
  return startTime === undefined ? undefined : { pid, startTime };
}
