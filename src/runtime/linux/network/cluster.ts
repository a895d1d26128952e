import { runHelper } from '../../helpers/helper.ts';
import { killProcess } from '../../kill.ts';
import { type ProcessIdentity, startTimeOf } from '../../watch/process-identity.ts';
import { clusterCommand, linkCommand, type NetworkMode, podNetworkCommand } from './cluster-commands.ts';
import type { HeldNetwork } from './holder.ts';
import type { NamespaceFiles, NetworkJoin } from './join.ts';
import { closeFiles, makeNetwork, type NewNetwork, openNamespaces } from './setup.ts';
import type { NetworkTools } from './tools.ts';

export interface ClusterOptions {
  readonly tools: NetworkTools;
  readonly mode: NetworkMode;
  /** True when its Pods outlive podrun: then processes hold the networks, otherwise podrun's open files. */
  readonly outlivesPodrun: boolean;
}

/**
 * The network of a run: a bridge to which each Pod's own network is connected. Nothing of it has a name on this
 * machine, so it is gone as soon as no process and no open file holds it.
 */
export class Cluster {
  readonly #options: ClusterOptions;
  readonly #files: NamespaceFiles;
  /** The process that holds it. Undefined: only podrun's files do. */
  readonly holder: ProcessIdentity | undefined;

  private constructor(options: ClusterOptions, files: NamespaceFiles, holderPid: number | undefined) {
    this.#options = options;
    this.#files = files;
    const startTime = holderPid === undefined ? undefined : startTimeOf(holderPid);
    if (holderPid !== undefined && startTime !== undefined) this.holder = { pid: holderPid, startTime };
  }

  /**
   * Makes the network (10 to 20 ms).
   * @param claim records the process that is to hold it after the end of podrun. Answers the process on record: when
   *   another podrun was faster, its network is the one. Undefined: the network ends with podrun
   * @throws {Error} with the messages of the programs
   */
  static async open(options: ClusterOptions, claim?: (pid: number) => number): Promise<Cluster> {
    const { tools, outlivesPodrun } = options;
    let holder: number | undefined;
    const hold = claim && (({ pid }: NewNetwork): boolean => (holder = claim(pid)) === pid);
    const made = await makeNetwork(clusterCommand(tools, outlivesPodrun), { hold });
    if (holder === undefined || holder === made.pid) return new Cluster(options, made.files, holder);
    await made.end();
    return Cluster.adopt(options, holder);
  }

  /**
   * Takes over the network of another podrun.
   * @param holderPid the process that holds it: the caller knows that it is the right one
   */
  static adopt(options: ClusterOptions, holderPid: number): Cluster {
    return new Cluster(options, openNamespaces(holderPid), holderPid);
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
  async addPod(address: string, record: (join: NetworkJoin) => void = () => undefined): Promise<HeldNetwork> {
    const { tools, mode, outlivesPodrun } = this.#options;
    const [uid, gid] = [process.getuid?.() ?? 0, process.getgid?.() ?? 0];
    const cluster = this.join;
    const command = podNetworkCommand({ tools, mode, cluster, address, uid, gid, outlivesPodrun });
    const connect = async ({ pid, files, inode }: NewNetwork): Promise<void> => {
      // In a user namespace, ip may not look into podrun's files: the kernel checks its right over the process instead.
      const peer = mode === 'root' ? `/proc/${process.pid}/fd/${files.net}` : String(pid);
      const [program = '', ...args] = linkCommand(tools, cluster, inode, peer);
      const outcome = await runHelper({ program, args, env: { LC_ALL: 'C' } });
      if (!outcome.ok) throw new Error(outcome.why);
    };
    const joinOf = ({ pid, files }: NewNetwork): NetworkJoin => {
      const join = { nsenter: tools.nsenter, isUsers: mode === 'user' };
      return outlivesPodrun ? { ...join, holderPid: pid } : { ...join, holderPid: process.pid, files };
    };
    const hold = (network: NewNetwork): boolean => {
      record(joinOf(network));
      return outlivesPodrun;
    };
    const made = await makeNetwork(command, { connect, hold });
    return { join: joinOf(made), end: () => made.end() };
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
