import type { Clock } from '../../clock.ts';
import type { NamespaceFacts } from '../features.ts';
import type { Inside, ProgramCall } from '../inside.ts';
import { killProcess } from '../kill.ts';
import { withLoaderVariablesAside } from '../loader-variables.ts';
import { type ProcessIdentity, startTimeOf } from '../process-identity.ts';
import { childOf, type Holder, type Joinable, joinFlags, type NamespaceKind } from './holder.ts';
import type { ProcessView } from './namespace-plan.ts';
import type { FstabEntry } from './fstab.ts';
import { pathInRoot, rootOf } from './root-of.ts';

export interface NamespacedInsideOptions {
  readonly holder: Holder;
  readonly facts: NamespaceFacts;
  readonly clock: Clock;
  readonly processes: ProcessView;
  /** The capabilities that programs of the container get, at most; undefined: those of podrun. */
  readonly capabilities: readonly string[] | undefined;
  /** How the first of its processes mounts a /proc of its own; empty: it sees that of the host. */
  readonly procMounts: readonly FstabEntry[];
  /** Shared memory and message queues are not those of the host. */
  readonly hasOwnMemory: boolean;
  /** Everything inside has ended. */
  readonly onGone: () => Promise<void>;
}

/**
 * Has the program begin as the first of a new process namespace. flock(1) is what stays outside and waits, since
 * unshare(1) of util-linux before 2.40 does not hand on that its child was killed; the lock is nobody's business.
 */
function becomeFirst({ tools }: NamespaceFacts, procMounts: readonly FstabEntry[]): string[] {
  const { unshare, flock, setpriv, sh, mount } = tools;
  const mounts = procMounts.map(
    ({ source, target, type, options }) =>
      `'${mount}' -n -c -t ${type} -o ${options.join(',')} ${source} ${target} && `,
  );
  const script = `${mounts.join('')}exec "$@"`;
  const ownProc = procMounts.length === 0 ? [] : [sh, '-c', script, 'mount'];
  const diesWithParent = [setpriv, '--pdeathsig', 'KILL'];
  return [...diesWithParent, unshare, '--pid', flock, '--shared', '--close', '/', ...diesWithParent, ...ownProc];
}

/** What it takes to become a program of the container. A container has these by default. */
const ENTERING = ['dac_override', 'setgid', 'setpcap', 'setuid', 'sys_chroot'];

/**
 * Capabilities that mean little. A process that has one which a container lacks is out of the reach of its debuggers.
 * Source: security/commoncap.c cap_ptrace_access_check.
 */
const SHIELDS = ['wake_alarm', 'block_suspend', 'audit_read'];

/**
 * Has the rest of a command line happen in the container's root, with no more rights than the container may have:
 * programs of the host's files give up the others, as those of the container's files may be anybody's by now. That root
 * is the current folder already: with fewer rights than the holder has, /proc would not show it any more.
 */
function changeRoot({ tools }: NamespaceFacts, cwd: string, capabilities: readonly string[]): string[] {
  const shield = SHIELDS.find((name) => !capabilities.includes(name)) ?? SHIELDS[0];
  const kept = new Set([...capabilities, ...ENTERING, shield]);
  const rights = ['-all', ...[...kept].map((name) => `+${name}`)].join(',');
  return [tools.setpriv, '--bounding-set', rights, '--inh-caps', '-all', tools.unshare, '--root=.', `--wd=${cwd}`];
}

/** Mounts of a container, by the paths under which its root is seen. */
function mountsIn(root: string, mounts: readonly FstabEntry[]): FstabEntry[] {
  const inRoot = (place: string): string => (place.startsWith('/') ? `${root}${place}` : place);
  return mounts.map((entry) => ({ ...entry, source: inRoot(entry.source), target: `${root}${entry.target}` }));
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
    const { facts, processes, hasOwnMemory, capabilities, procMounts, holder } = this.#options;
    const isFirst = processes === 'first' && this.#first === undefined;
    const { tools, mode } = facts;
    const kinds: NamespaceKind[] = [
      'mount',
      'uts',
      ...(hasOwnMemory ? (['ipc'] as const) : []),
      ...(processes === 'host' || isFirst ? [] : (['pid'] as const)),
    ];
    // The program is found along its own PATH, as its lookup has found it, so that it sees its name as it was given.
    const join = ['nsenter', ...joinFlags(this.joinable, kinds, mode)] as const;
    const into = (words: readonly string[]): ProgramCall => {
      return { file: tools.nsenter, argv: [...join, ...words, ...argv], env, cwd: '/' };
    };
    if (mode === 'user' || capabilities === undefined) {
      return into([`--wdns=${cwd}`, ...(isFirst ? becomeFirst(facts, procMounts) : [])]);
    }
    const root = rootOf(holder.pid);
    // A shell would complain of a current folder that is not in its root: only what comes after it goes there.
    const first = isFirst ? ['--wd=/', ...becomeFirst(facts, mountsIn(root, procMounts)), tools.unshare] : [];
    return into(['--root=/', ...first, `--wd=${root}`, ...changeRoot(facts, cwd, capabilities)]);
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
