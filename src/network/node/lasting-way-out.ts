import { errorMessage } from '../../api/index.ts';
import type { Alarm, Clock } from '../../clock.ts';
import { inBackground } from '../../defects.ts';
import { type EventDraft, noWayOut } from '../../lifecycle/index.ts';
import { isProcessAlive } from '../../runtime/index.ts';
import type { NetworkRecord } from '../../store/index.ts';
import type { Cluster, ClusterClaim } from '../linux/cluster.ts';
import type { WayOutTools } from '../linux/way-out-commands.ts';
import { WayOut } from '../linux/way-out.ts';
import type { PrivateNetworks } from './private-networks.ts';

interface LastingWayOutOptions {
  readonly networks: PrivateNetworks;
  readonly clock: Clock;
  readonly cluster: Cluster;
  /** The record of a way out that several agents share. Undefined: it ends with podrun. */
  readonly record: NetworkRecord | undefined;
  readonly report: (event: EventDraft) => void;
}

/** The number of times that a way out may die and is opened again. */
const LOST_MAX = 10;

/** The way out of a cluster, which is opened again after it has died. */
export class LastingWayOut {
  readonly #options: LastingWayOutOptions;
  /** Resolves when it is open, or cannot be opened: without one, the Pods run all the same. */
  readonly opened: Promise<void>;
  /** Undefined: there is none at the moment. */
  #wayOut: WayOut | undefined;
  #lost = 0;
  #isClosed = false;

  constructor(options: LastingWayOutOptions) {
    this.#options = options;
    this.opened = this.#open();
  }

  /** @param ends true to end its process, too */
  close(how: { readonly ends: boolean }): void {
    this.#isClosed = true;
    this.#wayOut?.close(how);
  }

  async #open(): Promise<void> {
    const { networks, report } = this.#options;
    const { wayOut, failedWayOut } = networks;
    if (wayOut === undefined) return report(noWayOut(failedWayOut));
    try {
      const opened = await this.#find(wayOut);
      if (this.#isClosed) return opened.close({ ends: this.#options.record === undefined });
      this.#wayOut = opened;
      inBackground(opened.lost.then((words) => this.#again(words)));
    } catch (error) {
      report(noWayOut(errorMessage(error)));
    }
  }

  /** The way out that another agent has opened, else a new one. */
  async #find(wayOut: WayOutTools): Promise<WayOut> {
    const { networks, clock, cluster, record } = this.#options;
    const { tools, hasHostAccess } = networks;
    const former = record?.living('wayOut');
    if (former !== undefined) return WayOut.adopt(former, clock);
    const claim = record && ((pid: number) => record.claim('wayOut', pid));
    return WayOut.open({ tools, wayOut, cluster: cluster.join, hasHostAccess, clock, claim, heldFor: record?.root });
  }

  async #again(words: string): Promise<void> {
    this.#wayOut = undefined;
    this.#lost += 1;
    if (this.#lost <= LOST_MAX) await this.#open();
    else this.#options.report(noWayOut(words));
  }
}

interface LastingHolderOptions {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly claim: ClusterClaim;
}

/** The period of looks at the holder. */
const WATCH_EVERY_MS = 1000;

/** The process that holds a cluster for Pods in the background. When it has died, another one takes its place. */
export class LastingHolder {
  readonly #options: LastingHolderOptions;
  #alarm: Alarm | undefined;
  #looking: Promise<void>;
  #isClosed = false;

  constructor(options: LastingHolderOptions) {
    this.#options = options;
    this.#looking = this.#look();
  }

  /** Watches no more. The holder keeps running. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#alarm?.cancel();
    await this.#looking;
  }

  async #look(): Promise<void> {
    const { cluster, clock, claim } = this.#options;
    const isHeld = cluster.holder !== undefined && isProcessAlive(cluster.holder);
    // After a failure, the next look tries again.
    if (!isHeld) await cluster.hold(claim).catch(() => undefined);
    if (this.#isClosed) return;
    this.#alarm = clock.wakeAt(clock.now().monotonicMs + WATCH_EVERY_MS, () => {
      this.#looking = this.#look();
    });
  }
}
