import { statfsSync } from 'node:fs';
import { totalmem } from 'node:os';
import { allContainers, type StoredPod } from '../../api/index.ts';
import type { Alarm, Clock } from '../../clock.ts';
import { inBackground } from '../../defects.ts';
import {
  chooseEviction,
  type EvictionSettings,
  lookAtPressure,
  NO_PRESSURE,
  type NodeEviction,
  type NodePressure,
  type NodeReadings,
  type PodUse,
  type PressureMemory,
  resourceOf,
  type StorageMeasures,
  type StorageUsage,
} from '../../lifecycle/index.ts';
import type { FileStore } from '../../store/index.ts';
import { measurePods } from './measure-pods.ts';

interface EvictionWatchOptions {
  readonly settings: EvictionSettings;
  readonly clock: Clock;
  /** The Pods that run. */
  readonly pods: () => readonly StoredPod[];
  /** The memory and the disk space that are left. */
  readonly readings: () => NodeReadings;
  /** The use of a resource by these Pods. Never rejects. */
  readonly measure: (resource: 'memory' | 'ephemeral-storage', pods: readonly StoredPod[]) => Promise<PodUse[]>;
  readonly evict: (pod: StoredPod, eviction: NodeEviction) => void;
  /** Called after each look, before a Pod goes, and with nothing at the end. */
  readonly report: (seen: PressureReport) => void;
}

/** The result of a look. */
export interface PressureReport {
  /** The lack of memory or disk space, now or a short time ago. */
  readonly conditions: readonly NodePressure[];
  /** True when the conditions have changed since the last look. */
  readonly isChanged: boolean;
  /** The resource that a Pod has to give up now. */
  readonly reclaims: 'memory' | 'ephemeral-storage' | undefined;
}

/** Source: pkg/kubelet/kubelet.go evictionMonitoringPeriod. */
const LOOK_EVERY_MS = 10_000;

/** Compares every ten seconds what this machine has left with the thresholds, and evicts at most one Pod each time. */
export class EvictionWatch {
  readonly #options: EvictionWatchOptions;
  #memory: PressureMemory = NO_PRESSURE;
  #conditions: readonly NodePressure[] = [];
  #alarm: Alarm;
  #isClosed = false;

  constructor(options: EvictionWatchOptions) {
    this.#options = options;
    this.#alarm = this.#plan();
  }

  /** The lack of memory or disk space, now or a short time ago. */
  get conditions(): readonly NodePressure[] {
    return this.#conditions;
  }

  close(): void {
    this.#isClosed = true;
    this.#alarm.cancel();
    this.#report([], undefined);
  }

  #plan(): Alarm {
    const { clock } = this.#options;
    return clock.wakeAt(clock.now().monotonicMs + LOOK_EVERY_MS, () => {
      inBackground(
        this.#look().finally(() => {
          if (!this.#isClosed) this.#alarm = this.#plan();
        }),
      );
    });
  }

  async #look(): Promise<void> {
    const { settings, clock, readings, measure, pods, evict } = this.#options;
    const read = readings();
    const { memory, conditions, due } = lookAtPressure(this.#memory, settings, read, clock.now().monotonicMs);
    this.#memory = memory;
    this.#report(conditions, due && resourceOf(due));
    if (due === undefined) return;
    const uses = await measure(resourceOf(due), pods());
    const eviction = chooseEviction(due, read[due.signal], uses, settings);
    if (eviction !== undefined && !this.#isClosed) evict(eviction.pod, eviction);
  }

  #report(conditions: readonly NodePressure[], reclaims: PressureReport['reclaims']): void {
    const isChanged = conditions.join() !== this.#conditions.join();
    this.#conditions = conditions;
    this.#options.report({ conditions, isChanged, reclaims });
  }
}

/** The memory and the disk space left on this machine, or in the container that podrun runs in. */
function machineReadings(folder: string): NodeReadings {
  const { bavail, blocks, bsize } = statfsSync(folder);
  const limit = process.constrainedMemory();
  return {
    'memory.available': {
      available: process.availableMemory(),
      capacity: limit > 0 ? Math.min(limit, totalmem()) : totalmem(),
    },
    'nodefs.available': { available: bavail * bsize, capacity: blocks * bsize },
  };
}

/** The memory of the containers of Pods. */
async function memoryUse(
  place: { readonly store: FileStore; readonly clock: Clock },
  pods: readonly StoredPod[],
): Promise<PodUse[]> {
  const measured = await measurePods(place, pods);
  return measured.map(({ pod, byContainer }) => ({
    pod,
    byContainer: new Map([...byContainer].map(([name, { memoryBytes }]) => [name, memoryBytes])),
  }));
}

/** The disk space of Pods: logs, layers and volumes in the state folder. Volumes count for the first container. */
async function storageUse(
  measure: (pod: StoredPod, wanted: StorageMeasures) => Promise<StorageUsage>,
  pods: readonly StoredPod[],
): Promise<PodUse[]> {
  const uses: PodUse[] = [];
  for (const pod of pods) {
    const { spec } = pod;
    const all = new Map(allContainers(spec).map(({ name }) => [name, Infinity]));
    const local = (spec.volumes ?? []).filter(({ emptyDir, configMap }) => emptyDir ?? configMap);
    const volumes = new Map(local.map(({ name }) => [name, Infinity]));
    const usage = await measure(pod, { volumes, logs: all, layers: all });
    const shared = Object.values(usage.volumes).reduce((sum, bytes) => sum + bytes, 0);
    const byContainer = [...all.keys()].map((name): [string, number] => {
      const own = (usage.logs[name] ?? 0) + (usage.layers[name] ?? 0);
      return [name, own + (name === spec.containers[0]?.name ? shared : 0)];
    });
    uses.push({ pod, byContainer: new Map(byContainer) });
  }
  return uses;
}

interface MachineWatchOptions extends Pick<EvictionWatchOptions, 'settings' | 'clock' | 'pods' | 'evict' | 'report'> {
  readonly store: FileStore;
  readonly measureStorage: (pod: StoredPod, wanted: StorageMeasures) => Promise<StorageUsage>;
}

/** Watches the memory and the disk of this machine. */
export function watchMachine({ store, measureStorage, ...options }: MachineWatchOptions): EvictionWatch {
  const { clock } = options;
  return new EvictionWatch({
    ...options,
    readings: () => machineReadings(store.root),
    measure: (resource, pods) =>
      resource === 'memory' ? memoryUse({ store, clock }, pods) : storageUse(measureStorage, pods),
  });
}
