import { readlinkSync } from 'node:fs';
import { DEFAULT_STOP_SIGNAL } from '../../../api/index.ts';
import type { Alarm, Clock } from '../../../clock.ts';
import { quietly } from '../../../quietly.ts';
import { killGroup } from '../../../runtime/index.ts';
import { type Kept, startedContainers } from './kept.ts';
import type { KeptContainer, LogTarget } from './protocol.ts';

export interface HousekeepingOptions {
  readonly clock: Clock;
  /** True while the store has the Pod of a container, and when it cannot be read. */
  readonly isStored: (target: LogTarget) => boolean;
  /** The containers of the keeper. */
  readonly kept: () => Iterable<Kept>;
  /** True while an agent is connected: it ends such Pods itself, with their grace periods. */
  readonly hasAgent: () => boolean;
}

/** The period of looks. Source: pkg/kubelet/kubelet.go housekeepingPeriod. */
const LOOK_EVERY_MS = 2000;

/**
 * Ends the containers that the store no longer has, while no agent looks after them: their Pods were removed by force,
 * or with the whole state folder. The first look may meet a folder that is just being replaced; the second one sends
 * the stop signal, the third one kills. Source: pkg/kubelet/kubelet_pods.go HandlePodCleanups.
 */
export class Housekeeping {
  readonly #options: HousekeepingOptions;
  /** The number of looks, one after the other, that did not find the Pod of a container. */
  #missed: ReadonlyMap<string, number> = new Map();
  #alarm: Alarm | undefined;

  constructor(options: HousekeepingOptions) {
    this.#options = options;
    this.#plan();
  }

  close(): void {
    this.#alarm?.cancel();
  }

  #plan(): void {
    const { clock } = this.#options;
    this.#alarm = clock.wakeAt(clock.now().monotonicMs + LOOK_EVERY_MS, () => {
      this.#look();
      this.#plan();
    });
  }

  #look(): void {
    const { hasAgent, isStored, kept } = this.#options;
    const running = hasAgent() ? [] : [...kept()].filter((each) => each.exit === undefined);
    const orphans = running.filter(({ target }) => !isStored(target));
    const before = this.#missed;
    this.#missed = new Map(orphans.map(({ launch: { id } }) => [id, (before.get(id) ?? 0) + 1]));
    for (const orphan of orphans) this.#end(orphan, this.#missed.get(orphan.launch.id) ?? 0);
  }

  #end(orphan: Kept, missed: number): void {
    if (missed === 2) {
      for (const container of startedContainers(orphan)) endNetwork(container);
      orphan.running?.signal(orphan.launch.stopSignal ?? DEFAULT_STOP_SIGNAL);
    }
    if (missed > 2) orphan.running?.kill();
  }
}

/** Ends the private network of a container that still runs. */
export function endNetwork({ launch, running }: KeptContainer): void {
  const [holder, network] = [launch.network?.holderPid, networkOf(running.pid)];
  // Another process may have the pid of a holder that has ended.
  if (holder !== undefined && network !== undefined && networkOf(holder) === network) killGroup(holder);
}

/** The number of the network that a process is in. Undefined: the process has ended. */
function networkOf(pid: number): string | undefined {
  return quietly(() => readlinkSync(`/proc/${pid}/ns/net`));
}
