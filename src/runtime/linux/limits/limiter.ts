import { CgroupGroup } from '../cgroup/cgroup-group.ts';
import { cgroupMachine, type CgroupMachine } from '../cgroup/cgroup-machine.ts';
import type { Controller } from '../cgroup/hierarchy.ts';
import type { ResourceLimits } from '../../confinement.ts';
import { type Inside, insideWith, type ProgramCall } from '../../inside.ts';
import { startTimeOf } from '../../watch/process-identity.ts';
import { gated } from './gate.ts';
import { type Limited, type LimitOptions, UNLIMITED } from './limited.ts';
import { MemoryWatch } from './memory-watch.ts';

type Limit = 'memory' | 'cpu' | 'pids';

/**
 * Enforces a container's limits, as far as this machine permits: by cgroups, and on request by measuring its memory.
 * Never by RLIMIT_AS: programs reserve far more memory than they use.
 * @param machine the usable cgroups; tests use others
 */
export function limitContainer(
  id: string,
  limits: ResourceLimits,
  { clock, pollsMemory }: LimitOptions,
  machine: CgroupMachine = cgroupMachine(),
): Limited {
  const wanted = limitsIn(limits);
  const polledBytes = pollsMemory && !machine.locations.has('memory') ? limits.memoryBytes : undefined;
  const made = wantsGroup(limits, machine) ? CgroupGroup.make(machine, id, limits, clock) : undefined;
  const group = made?.ok === true ? made.group : undefined;
  const missing = new Map(
    wanted.flatMap((limit): Array<[Limit, string]> => {
      if (limit === 'memory' && polledBytes !== undefined) return [];
      const why = made?.ok === false ? made.error : machine.missing.get(limit);
      return why === undefined ? [] : [[limit, why]];
    }),
  );
  const notice = missing.size === 0 ? undefined : unenforcedPaths(missing);
  if (group === undefined && polledBytes === undefined) return { ...UNLIMITED, notice, change: () => notice };
  return new ContainerLimiter(id, { group, polledBytes, notice, clock });
}

/** One sentence about limits that podrun cannot enforce here. Undefined: it can enforce all. */
export function whyNotEnforced(limits: ResourceLimits, pollsMemory: boolean): string | undefined {
  const machine = cgroupMachine();
  const missing = limitsIn(limits).flatMap((limit): Array<[Limit, string]> => {
    const why = limit === 'memory' && pollsMemory ? undefined : machine.missing.get(limit);
    return why === undefined ? [] : [[limit, why]];
  });
  return missing.length === 0 ? undefined : unenforcedPaths(new Map(missing));
}

/** The limits to enforce. A CPU request is only a weight. */
function limitsIn({ together, ...own }: ResourceLimits): Limit[] {
  const all = [own, together];
  return [
    ...(all.some(({ memoryBytes }) => memoryBytes !== undefined) ? (['memory'] as const) : []),
    ...(all.some(({ cpuMillis }) => cpuMillis !== undefined) ? (['cpu'] as const) : []),
    ...(all.some(({ pids }) => pids !== undefined) ? (['pids'] as const) : []),
  ];
}

/** The sentence: `limits on memory and cpu are not enforced: …` */
function unenforcedPaths(missing: ReadonlyMap<string, string>): string {
  const names = [...missing.keys()].join(' and ');
  const [why = ''] = missing.values();
  return `limits on ${names} are not enforced: ${why}`;
}

function wantsGroup(limits: ResourceLimits, { locations }: CgroupMachine): boolean {
  const wanted: Controller[] = limitsIn(limits);
  if (limits.cpuRequestMillis) wanted.push('cpu');
  return wanted.some((controller) => locations.has(controller));
}

interface Parts {
  readonly group: CgroupGroup | undefined;
  readonly polledBytes: number | undefined;
  readonly notice: string | undefined;
  readonly clock: LimitOptions['clock'];
}

class ContainerLimiter implements Limited {
  readonly #id: string;
  readonly #parts: Parts;
  /** The functions that release waiting processes, by pid. */
  readonly #waiting = new Map<number, () => void>();
  #notice: string | undefined;
  #watch: MemoryWatch | undefined;
  #wasExceeded = false;

  constructor(id: string, parts: Parts) {
    this.#id = id;
    this.#parts = parts;
    this.#notice = parts.notice;
  }

  get notice(): string | undefined {
    return this.#notice;
  }

  get cgroups(): readonly string[] {
    return this.#parts.group?.folders ?? [];
  }

  within(inside: Inside): Inside {
    const { group } = this.#parts;
    return insideWith(inside, {
      programOf: async (pid) => {
        await this.place(pid);
        return inside.programOf(pid);
      },
      // The group does not seal it: a child that a process starts before it is moved may stay outside.
      kill: () => {
        inside.kill();
        group?.kill();
      },
      end: async () => {
        this.#watch?.close();
        await inside.end();
        await group?.end();
      },
    });
  }

  gate(entered: ProgramCall, call: ProgramCall): ProgramCall | undefined {
    return this.#parts.group === undefined ? undefined : gated(entered, call);
  }

  waits(pid: number, open: () => void): void {
    this.#waiting.set(pid, open);
  }

  async place(pid: number): Promise<void> {
    const { group } = this.#parts;
    const open = this.#waiting.get(pid);
    this.#waiting.delete(pid);
    const why = open === undefined ? await group?.place(pid) : await group?.placeWaiting(pid);
    open?.();
    if (why !== undefined) this.#notice = `podrun could not limit the process: ${why}`;
  }

  watch(pid: number, kill: () => void): void {
    const { polledBytes, clock } = this.#parts;
    const startTime = polledBytes === undefined ? undefined : startTimeOf(pid);
    if (polledBytes === undefined || startTime === undefined) return;
    const onExceeded = (): void => {
      this.#wasExceeded = true;
      kill();
    };
    const main = { pid, startTime };
    this.#watch = new MemoryWatch({ clock, id: this.#id, main, limitBytes: polledBytes, onExceeded });
  }

  outOfMemory(): 'kernel' | 'polled' | undefined {
    if (this.#wasExceeded) return 'polled';
    return this.#parts.group?.wasOutOfMemory() === true ? 'kernel' : undefined;
  }

  change(limits: ResourceLimits): string | undefined {
    if (this.#parts.polledBytes !== undefined) this.#watch?.limit(limits.memoryBytes ?? Number.POSITIVE_INFINITY);
    const why = this.#parts.group?.change(limits);
    return why === undefined ? this.#notice : `podrun could not change the limits: ${why}`;
  }
}
