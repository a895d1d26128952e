import { CgroupGroup } from '../cgroup/cgroup-group.ts';
import { cgroupMachine, type CgroupMachine } from '../cgroup/cgroup-machine.ts';
import type { ResourceLimits } from '../../base/confinement.ts';
import { type Inside, insideWith, type ProgramCall } from '../../base/inside.ts';
import { startTimeOf } from '../../watch/process-identity.ts';
import { type Limited, type LimitOptions, UNLIMITED } from '../../base/limited.ts';
import { MemoryWatch } from './memory-watch.ts';

/** The name of the shell that enters groups, with which its error messages begin. */
const NAME = 'limits';

/** Enters the groups before `--`, and becomes the program behind it, without the variables that bash adds. */
const SCRIPT = `while [ "$1" != -- ]; do echo 0 >"$1/cgroup.procs" || exit 1; shift; done
shift
unset PWD OLDPWD SHLVL
exec "$@"`;

/** The names that every shell passes on. dash drops all other names. */
const PORTABLE_NAME = /^[A-Za-z_]\w*$/;

/** Variables with a meaning for shells or for their loader, which may have more rights than the program. */
const SHELL_VARIABLE = /^(_|IFS|PWD|OLDPWD|SHLVL|OPTIND|PPID|LINENO|PS[0124]|ENV|SHELLOPTS|BASH.*|FUNCNEST|LD_.*)$/;

type Limit = 'memory' | 'cpu' | 'pids';

/**
 * Enforces a container's limits, as far as this machine permits: by cgroups, and on request by measuring its memory.
 * Never by RLIMIT_AS: programs reserve far more memory than they use.
 * @param machine the usable cgroups; tests use their own
 */
export function limitContainer(
  id: string,
  limits: ResourceLimits,
  { clock, pollsMemory }: LimitOptions,
  machine: CgroupMachine = cgroupMachine(),
): Limited {
  const wanted = limitsIn(limits);
  const polledBytes = pollsMemory && !machine.locations.has('memory') ? limits.memoryBytes : undefined;
  const made = machine.locations.size > 0 ? CgroupGroup.make(machine, id, limits, clock) : undefined;
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

interface Parts {
  readonly group: CgroupGroup | undefined;
  readonly polledBytes: number | undefined;
  readonly notice: string | undefined;
  readonly clock: LimitOptions['clock'];
}

class ContainerLimiter implements Limited {
  readonly #id: string;
  readonly #parts: Parts;
  /** True when a process could not enter the group by itself. */
  #mustPlace = false;
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

  get visibleCgroups(): readonly string[] {
    return this.#parts.group?.inner ?? [];
  }

  within(inside: Inside): Inside {
    const { group } = this.#parts;
    return insideWith(inside, {
      enter: (call) => {
        const entered = inside.enter(call);
        if (group === undefined) return entered;
        const entering = enteringGroups(group.inner, entered, call);
        this.#mustPlace ||= entering === undefined;
        return entering ?? entered;
      },
      programOf: async (pid) => {
        await this.place(pid);
        return inside.programOf(pid);
      },
      // The group does not seal it: a child that a process starts before it is placed may stay outside.
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

  async place(pid: number): Promise<void> {
    const why = this.#mustPlace ? await this.#parts.group?.place(pid) : undefined;
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

/**
 * The program in groups: its process enters them before it does anything else. Undefined where a shell would change the
 * program's environment.
 * @param groups the folders of cgroups
 * @param entered the call with the tools before the program
 * @param call the program itself
 */
export function enteringGroups(
  groups: readonly string[],
  entered: ProgramCall,
  call: ProgramCall,
): ProgramCall | undefined {
  const { argv, env, cwd, file } = entered;
  const names = Object.keys(env);
  if (names.some((name) => !PORTABLE_NAME.test(name) || SHELL_VARIABLE.test(name))) return undefined;
  const [name, ...args] = argv;
  // A tool before the program must not be searched along the program's PATH, nor a file that stands for the program.
  const program = argv.length === call.argv.length && file === call.file ? name : file;
  if (program.startsWith('-')) return undefined;
  return { file: '/bin/sh', argv: ['sh', '-c', SCRIPT, NAME, ...groups, '--', program, ...args], env, cwd };
}
