import { runHelper } from '../../helpers/helper.ts';
import { killGroup } from '../../kill.ts';
import { clusterCommand, linkCommand, type NetworkMode, podNetworkCommand } from './cluster-commands.ts';
import type { HeldNetwork } from './holder.ts';
import type { NamespaceFiles, NetworkJoin } from './join.ts';
import { closeFiles, makeNetwork, openNamespaces } from './setup.ts';
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
  readonly holderPid: number | undefined;

  private constructor(options: ClusterOptions, files: NamespaceFiles, holderPid: number | undefined) {
    this.#options = options;
    this.#files = files;
    this.holderPid = holderPid;
  }

  /**
   * Makes the network (10 to 20 ms).
   * @throws {Error} with the messages of the programs
   */
  static async open(options: ClusterOptions): Promise<Cluster> {
    const { tools, outlivesPodrun } = options;
    const made = await makeNetwork(clusterCommand(tools, outlivesPodrun), outlivesPodrun, () => Promise.resolve());
    return new Cluster(options, made.files, outlivesPodrun ? made.pid : undefined);
  }

  /**
   * Takes over the network of a former podrun.
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
   * @throws {Error} with the messages of the programs
   */
  async addPod(address: string): Promise<HeldNetwork> {
    const { tools, mode, outlivesPodrun } = this.#options;
    const [uid, gid] = [process.getuid?.() ?? 0, process.getgid?.() ?? 0];
    const cluster = this.join;
    const command = podNetworkCommand({ tools, mode, cluster, address, uid, gid, outlivesPodrun });
    const made = await makeNetwork(command, outlivesPodrun, async ({ pid, files, inode }) => {
      // In a user namespace, ip may not look into podrun's files: the kernel checks its right over the process instead.
      const peer = mode === 'root' ? `/proc/${process.pid}/fd/${files.net}` : String(pid);
      const [program = '', ...args] = linkCommand(tools, cluster, inode, peer);
      const outcome = await runHelper({ program, args, env: { LC_ALL: 'C' } });
      if (!outcome.ok) throw new Error(outcome.why);
    });
    const { nsenter } = tools;
    const isUsers = mode === 'user';
    const join: NetworkJoin = outlivesPodrun
      ? { nsenter, holderPid: made.pid, isUsers }
      : { nsenter, holderPid: process.pid, isUsers, files: made.files };
    return { join, end: () => made.end() };
  }

  /** Removes the network. Pods that still run lose their connections. */
  close(): void {
    if (this.holderPid !== undefined) killGroup(this.holderPid);
    closeFiles(this.#files);
  }
}
