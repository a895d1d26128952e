import type { Clock } from '../../clock.ts';
import type { NamespaceFacts } from '../features.ts';
import type { Inside, ProgramCall } from '../inside.ts';
import { killProcess } from '../kill.ts';
import { withLoaderVariablesAside } from '../loader-variables.ts';
import { type ProcessIdentity, startTimeOf } from '../process-identity.ts';
import { childOf, type Holder, type Joinable, joinFlags, type NamespaceKind } from './holder.ts';
import type { ProcessView } from './namespace-plan.ts';
import { pathInRoot, rootOf } from './root-of.ts';

export interface NamespacedInsideOptions {
  readonly holder: Holder;
  readonly facts: NamespaceFacts;
  readonly clock: Clock;
  readonly processes: ProcessView;
  /** Shared memory and message queues are not those of the host. */
  readonly hasOwnMemory: boolean;
  /** Everything inside has ended. */
  readonly onGone: () => Promise<void>;
}

/**
 * Has the program begin as the first of a new process namespace. flock(1) is what stays outside and waits, since
 * unshare(1) of util-linux before 2.40 does not hand on that its child was killed; the lock is nobody's business.
 */
function becomeFirst({ tools, hasOwnProc }: NamespaceFacts): string[] {
  const { unshare, flock, setpriv } = tools;
  const ownProc = hasOwnProc ? [unshare, '--mount-proc'] : [];
  const diesWithParent = [setpriv, '--pdeathsig', 'KILL'];
  return [...diesWithParent, unshare, '--pid', flock, '--shared', '--close', '/', ...diesWithParent, ...ownProc];
}

/** How long it is waited for a process to get inside, and how often it is looked for. */
const ENTER_LIMIT_MS = 5000;
const LOOK_EVERY_MS = 0.5;

/** The inside of a container with namespaces: every process gets there by nsenter(1). */
export class NamespacedInside implements Inside {
  readonly #options: NamespacedInsideOptions;
  /** Where it is the first of its processes: the main process, once it is known. */
  #first: ProcessIdentity | undefined;
  #gone: Promise<void> | undefined;
  /** Links on the way to what was asked for; undefined: a program runs inside, which may change them. */
  #seen: Map<string, string | undefined> | undefined = new Map();

  constructor(options: NamespacedInsideOptions) {
    this.#options = options;
  }

  get isSealed(): boolean {
    return this.#options.processes === 'own' || this.#options.processes === 'first';
  }

  /** Whose namespaces are joined by whoever comes in. */
  get joinable(): Joinable {
    const { pid } = this.#options.holder;
    return { pid: this.#first?.pid ?? pid, userPid: pid };
  }

  get hasOwnNumbers(): boolean {
    return this.#options.processes !== 'host';
  }

  pathOf(wanted: string): string {
    return pathInRoot(rootOf(this.#options.holder.pid), wanted, this.#seen);
  }

  enter(call: ProgramCall): ProgramCall {
    this.#seen = undefined;
    const { argv, env, cwd } = withLoaderVariablesAside(call);
    const { facts, processes, hasOwnMemory } = this.#options;
    const isFirst = processes === 'first' && this.#first === undefined;
    const { tools, mode } = facts;
    const kinds: NamespaceKind[] = [
      'mount',
      'uts',
      ...(hasOwnMemory ? (['ipc'] as const) : []),
      ...(processes === 'host' || isFirst ? [] : (['pid'] as const)),
    ];
    const join = ['nsenter', ...joinFlags(this.joinable, kinds, mode), `--wdns=${cwd}`] as const;
    // The program is found along its own PATH, as its lookup has found it, so that it sees its name as it was given.
    const first = isFirst ? becomeFirst(facts) : [];
    return { file: tools.nsenter, argv: [...join, ...first, ...argv], env, cwd: '/' };
  }

  /** nsenter stays outside and waits, unless the program is to see the processes of the host. */
  async programOf(pid: number): Promise<number> {
    if (this.#options.processes === 'host') return pid;
    const { clock } = this.#options;
    const startMs = clock.now().monotonicMs;
    while (clock.now().monotonicMs - startMs < ENTER_LIMIT_MS) {
      const child = childOf(pid);
      if (child !== undefined) {
        const startTime = startTimeOf(child);
        if (this.#options.processes === 'first' && startTime !== undefined) this.#first ??= { pid: child, startTime };
        return child;
      }
      if (startTimeOf(pid) === undefined) return pid;
      await new Promise<void>((resolve) => {
        clock.wakeAt(clock.now().monotonicMs + LOOK_EVERY_MS, resolve);
      });
    }
    return pid;
  }

  kill(): void {
    if (this.#first !== undefined) killProcess(this.#first);
    this.#options.holder.kill();
  }

  end(): Promise<void> {
    this.kill();
    this.#gone ??= this.#options.holder.ended.then(() => this.#options.onGone());
    return this.#gone;
  }
}
