import { inBackground } from '../../../defects.ts';
import type { Alarm, Clock } from '../../../clock.ts';
import { factsOf, type ProcessIdentity } from '../../watch/process-identity.ts';
import { childrenOf, listProcesses } from '../../watch/process-table.ts';
import { processesByContainer } from '../../watch/sweeper.ts';
import { memoryOf, type ProcessMemory, usageOfProcesses } from '../usage/process-usage.ts';

export interface MemoryWatchOptions {
  readonly clock: Clock;
  /** The id of the container. */
  readonly id: string;
  readonly main: ProcessIdentity;
  readonly limitBytes: number;
  /** Called once, at the end of the watch. */
  readonly onExceeded: () => void;
}

const PERIOD_MS = 100;
/** The period for a container that is close to its memory limit. */
const PERIOD_SHORT_MS = 20;
const NEAR = 0.7;
/** The period where each look starts `ps`. */
const PERIOD_PS_MS = 500;

/**
 * Measures the memory of a container's processes where no cgroup limits it. Memory that is allocated and freed between
 * two looks is not seen.
 */
export class MemoryWatch {
  readonly #options: MemoryWatchOptions;
  /** Processes that were seen, by pid: a daemon still belongs to the container after the end of its parent. */
  readonly #seen = new Map<number, string>();
  #limitBytes: number;
  #alarm: Alarm | undefined;
  #isClosed = false;

  constructor(options: MemoryWatchOptions) {
    this.#options = options;
    this.#limitBytes = options.limitBytes;
    this.#seen.set(options.main.pid, options.main.startTime);
    this.#lookAgain(PERIOD_SHORT_MS);
  }

  /** Changes the limit. */
  limit(bytes: number): void {
    this.#limitBytes = bytes;
  }

  close(): void {
    this.#isClosed = true;
    this.#alarm?.cancel();
  }

  #lookAgain(afterMs: number): void {
    const { clock } = this.#options;
    this.#alarm = clock.wakeAt(clock.now().monotonicMs + afterMs, () => inBackground(this.#look()));
  }

  async #look(): Promise<void> {
    const limitBytes = this.#limitBytes;
    const isLinux = process.platform === 'linux';
    const bytes = isLinux ? this.#lookAtTree() : await this.#askPs().catch(() => 0);
    if (this.#isClosed) return;
    if (bytes > limitBytes) {
      this.close();
      this.#options.onExceeded();
    } else if (isLinux) {
      this.#lookAgain(bytes > limitBytes * NEAR ? PERIOD_SHORT_MS : PERIOD_MS);
    } else {
      this.#lookAgain(PERIOD_PS_MS);
    }
  }

  #lookAtTree(): number {
    const memories: ProcessMemory[] = [];
    const open = [...this.#seen.keys()];
    const looked = new Set<number>();
    for (let pid = open.pop(); pid !== undefined; pid = open.pop()) {
      if (looked.has(pid)) continue;
      looked.add(pid);
      const startTime = factsOf(pid)?.startTime;
      const memory = memoryOf(pid);
      // A reused pid belongs to another process.
      if (startTime === undefined || memory === undefined || (this.#seen.get(pid) ?? startTime) !== startTime) {
        this.#seen.delete(pid);
        continue;
      }
      this.#seen.set(pid, startTime);
      memories.push(memory);
      open.push(...childrenOf(pid));
    }
    return totalBytes(memories);
  }

  async #askPs(): Promise<number> {
    const { id, main, clock } = this.#options;
    const members = processesByContainer([{ id, leader: main }], await listProcesses(clock));
    const usages = await usageOfProcesses([...members.values()].flat().map(({ pid }) => pid));
    return [...usages.values()].reduce((sum, { memoryBytes }) => sum + memoryBytes, 0);
  }
}

/** The sum of private memory, plus the largest shared memory once: a cgroup counts no page twice. */
function totalBytes(memories: readonly ProcessMemory[]): number {
  const own = memories.reduce((sum, { residentBytes, sharedBytes }) => sum + residentBytes - sharedBytes, 0);
  return own + Math.max(0, ...memories.map(({ sharedBytes }) => sharedBytes));
}
