import type { Clock } from '../../clock.ts';
import type { NamespaceFacts } from '../features.ts';
import type { Inside, ProgramCall } from '../inside.ts';
import { startTimeOf } from '../process-identity.ts';
import { childOf, type Holder, joinFlags, type NamespaceKind } from './holder.ts';
import { pathInRoot } from './root-of.ts';

export interface NamespacedInsideOptions {
  readonly holder: Holder;
  readonly facts: NamespaceFacts;
  readonly clock: Clock;
  /** The holder is process 1 of a namespace that is this container's alone. */
  readonly hasOwnProcesses: boolean;
  readonly seesHostProcesses: boolean;
  /** Shared memory and message queues are not those of the host. */
  readonly hasOwnMemory: boolean;
  readonly strictPid1: boolean;
  /** Everything inside has ended. */
  readonly onGone: () => Promise<void>;
}

/** How long it is waited for a process to get inside, and how often it is looked for. */
const ENTER_LIMIT_MS = 5000;
const LOOK_EVERY_MS = 0.5;

/** The inside of a container with namespaces: every process gets there by nsenter(1). */
export class NamespacedInside implements Inside {
  readonly #options: NamespacedInsideOptions;
  #gone: Promise<void> | undefined;

  constructor(options: NamespacedInsideOptions) {
    this.#options = options;
  }

  get isSealed(): boolean {
    return this.#options.hasOwnProcesses;
  }

  pathOf(wanted: string): string {
    return pathInRoot(`/proc/${this.#options.holder.pid}/root`, wanted);
  }

  enter({ argv, env, cwd }: ProgramCall): ProgramCall {
    const { holder, facts, seesHostProcesses, hasOwnMemory } = this.#options;
    const { tools, mode } = facts;
    const kinds: NamespaceKind[] = [
      'mount',
      'uts',
      ...(hasOwnMemory ? (['ipc'] as const) : []),
      ...(seesHostProcesses ? [] : (['pid'] as const)),
    ];
    const join = ['nsenter', '--target', String(holder.pid), ...joinFlags(kinds, mode), `--wdns=${cwd}`] as const;
    // The program is found along its own PATH, as its lookup has found it, so that it sees its name as it was given.
    return { file: tools.nsenter, argv: [...join, ...argv], env, cwd: '/' };
  }

  /** nsenter stays outside and waits, unless the program is to see the processes of the host. */
  async programOf(pid: number): Promise<number> {
    if (this.#options.seesHostProcesses) return pid;
    const { clock } = this.#options;
    const startMs = clock.now().monotonicMs;
    while (clock.now().monotonicMs - startMs < ENTER_LIMIT_MS) {
      const child = childOf(pid);
      if (child !== undefined) return child;
      if (startTimeOf(pid) === undefined) return pid;
      await new Promise<void>((resolve) => {
        clock.wakeAt(clock.now().monotonicMs + LOOK_EVERY_MS, resolve);
      });
    }
    return pid;
  }

  kill(): void {
    this.#options.holder.kill();
  }

  end(): Promise<void> {
    this.kill();
    this.#gone ??= this.#options.holder.ended.then(() => this.#options.onGone());
    return this.#gone;
  }
}
