import { type Alarm, type Clock } from '../../clock.ts';
import type { Cluster, ClusterClaim } from '../linux/cluster.ts';
import { isProcessAlive } from '../../runtime/index.ts';

export interface LastingHolderOptions {
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
