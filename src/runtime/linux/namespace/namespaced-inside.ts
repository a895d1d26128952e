import { readlinkSync } from 'node:fs';
import { type Clock, sleep } from '../../../clock.ts';
import { quietly } from '../../../quietly.ts';
import type { FileOwners } from '../../base/confinement.ts';
import type { NamespaceFacts } from '../../base/features.ts';
import type { Inside, InsideTools, ProgramCall } from '../../base/inside.ts';
import { killProcess } from '../../watch/kill.ts';
import { takeLastStep } from '../../start/last-step.ts';
import { HOST_TOOLS, moveLoaderVariables } from '../../start/loader-variables.ts';
import { type ProcessIdentity, startTimeOf } from '../../watch/process-identity.ts';
import { childrenOf } from '../../watch/process-table.ts';
import type { RootPrograms } from '../image/programs.ts';
import { type Holder, type Joinable, joinFlags, type NamespaceKind } from './holder.ts';
import type { ProcessView } from './namespace-plan.ts';
import type { FstabEntry } from './fstab.ts';
import { pathInRoot, rootOf } from './root-of.ts';

export interface NamespacedInsideOptions {
  readonly holder: Holder;
  readonly facts: NamespaceFacts;
  readonly clock: Clock;
  readonly processes: ProcessView;
  readonly users: FileOwners;
  /** True when the container has the files of the host, also with files of an image over them. */
  readonly seesHost: boolean;
  /** The programs among files of an image. Undefined: the container has the host's programs. */
  readonly programs: RootPrograms | undefined;
  /** The most capabilities that programs of the container may get. Undefined: podrun's. */
  readonly capabilities: readonly string[] | undefined;
  /** The mounts of its own /proc, for a main process that is process 1. Empty: it sees the host's. */
  readonly procMounts: readonly FstabEntry[];
  /** True when shared memory and message queues are not the host's. */
  readonly hasOwnMemory: boolean;
  /** True when its processes have a cgroup of their own, the root of a cgroup namespace. */
  readonly hasOwnCgroups: boolean;
  /** Called when everything inside has ended. */
  readonly onGone: () => Promise<void>;
}

/**
 * The tools that start a program as process 1 of a new PID namespace. flock(1) stays outside and waits, since
 * unshare(1) of util-linux before 2.40 does not report that its child was killed. Its lock has no other use.
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

/** The capabilities for entering a container, which containers have by default. */
const ENTERING = ['dac_override', 'setgid', 'setpcap', 'setuid', 'sys_chroot'];

/**
 * Harmless capabilities. A process with one that the container lacks cannot be debugged from the container.
 * Source: security/commoncap.c cap_ptrace_access_check.
 */
const SHIELDS = ['wake_alarm', 'block_suspend', 'audit_read'];

/**
 * The tools that change to the container's root and drop rights that the container must not have. Programs of the host
 * drop them: a container may have replaced its own programs. The root is the current folder already, because /proc
 * would not show it to a process with fewer rights than the holder.
 */
function changeRoot({ tools }: NamespaceFacts, cwd: string, capabilities: readonly string[] | undefined): string[] {
  const change = [tools.unshare, '--root=.', `--wd=${cwd}`];
  if (capabilities === undefined) return change;
  const shield = SHIELDS.find((name) => !capabilities.includes(name)) ?? SHIELDS[0];
  const kept = new Set([...capabilities, ...ENTERING, shield]);
  const rights = ['-all', ...[...kept].map((name) => `+${name}`)].join(',');
  return [tools.setpriv, '--bounding-set', rights, '--inh-caps', '-all', ...change];
}

function viewUsers({ mode }: NamespaceFacts): FileOwners {
  return mode === 'root' ? 'root' : 'single';
}

function toolsOfHost({ tools }: NamespaceFacts): Omit<InsideTools, 'users'> {
  const perl = tools.perl === undefined ? {} : { perl: [tools.perl] as const };
  return { ...HOST_TOOLS, setpriv: [tools.setpriv], unshare: [tools.unshare], ...perl };
}

/** unshare(1) without options starts a program whose name env(1) would take for a variable. */
function toolsOfImage(programs: RootPrograms): Omit<InsideTools, 'users'> {
  const [setpriv, unshare, env, setsid] = [
    programs.words('setpriv'),
    programs.words('unshare'),
    programs.words('env'),
    programs.words('setsid'),
  ];
  const perl = programs.hasPerl ? { perl: programs.words('perl') } : {};
  return { setpriv, unshare, env, setsid, unchanged: [...unshare, '--'], ...perl };
}

/** The mounts of a container, with the paths at which its root is visible. */
function mountsIn(root: string, mounts: readonly FstabEntry[]): FstabEntry[] {
  const inRoot = (file: string): string => (file.startsWith('/') ? `${root}${file}` : file);
  return mounts.map((entry) => ({ ...entry, source: inRoot(entry.source), target: `${root}${entry.target}` }));
}

/** The time limit for a process to get inside, and the interval of the checks. */
const ENTER_LIMIT_MS = 5000;
const LOOK_EVERY_MS = 0.5;

/** The cgroup namespace of a process. Undefined: it has ended. */
function cgroupNamespaceOf(pid: number | 'self'): string | undefined {
  return quietly(() => readlinkSync(`/proc/${pid}/ns/cgroup`));
}
const OWN_CGROUPS = cgroupNamespaceOf('self');

/** The inside of a container with namespaces: every process enters by nsenter(1). */
export class NamespacedInside implements Inside {
  readonly #options: NamespacedInsideOptions;
  readonly tools: InsideTools;
  /** The main process, if it is process 1 and known. */
  #first: ProcessIdentity | undefined;
  /** The main process, once it is known. It keeps the cgroup namespace, which begins in its cgroup. */
  #main: number | undefined;
  #gone: Promise<void> | undefined;
  /** The links that were found, until a program runs inside, which may change them. */
  #seen: Map<string, string | undefined> | undefined = new Map();

  constructor(options: NamespacedInsideOptions) {
    const { facts, programs, seesHost } = options;
    this.#options = options;
    // podrun's user is the only one in a view of the host, also where its Pod has more users.
    const users = seesHost ? viewUsers(facts) : options.users;
    this.tools = { ...(programs ? toolsOfImage(programs) : toolsOfHost(facts)), users };
  }

  /** The host's perl changes the root and drops rights that the container must not have, where it can have more. */
  get takesLastStep(): boolean {
    return this.tools.users !== 'single';
  }

  get isSealed(): boolean {
    return this.#options.processes === 'own' || this.#options.processes === 'first';
  }

  /** The process whose namespaces are joined. */
  get joinable(): Joinable {
    const { pid } = this.#options.holder;
    return { pid: this.#first?.pid ?? pid, userPid: pid, users: this.#options.users };
  }

  get hasOwnNumbers(): boolean {
    return this.#options.processes !== 'host';
  }

  pathOf(wanted: string): string {
    return pathInRoot(rootOf(this.#options.holder.pid), wanted, this.#seen);
  }

  enter(call: ProgramCall): ProgramCall {
    this.#seen = undefined;
    const { last } = call;
    const { argv, env, cwd } = last === undefined ? moveLoaderVariables(call, this.tools) : call;
    const { facts, processes, hasOwnMemory, hasOwnCgroups, capabilities, procMounts, holder, programs } = this.#options;
    const isMain = this.#main === undefined;
    const isFirst = processes === 'first' && this.#first === undefined;
    const { tools, mode } = facts;
    const kinds: NamespaceKind[] = [
      'mount',
      'uts',
      ...(hasOwnMemory ? (['ipc'] as const) : []),
      ...(processes === 'host' || isFirst ? [] : (['pid'] as const)),
    ];
    // The program is found along its own PATH, as before, so that it sees its name unchanged.
    const cgroups = hasOwnCgroups && !isMain ? [`--cgroup=/proc/${this.#main}/ns/cgroup`] : [];
    const makeCgroups = hasOwnCgroups && isMain ? ['--cgroup'] : [];
    const join = ['nsenter', ...joinFlags(this.joinable, kinds, mode), ...cgroups] as const;
    const into = (words: readonly string[]): ProgramCall => {
      return { file: tools.nsenter, argv: [...join, ...words, ...argv], env, cwd: '/' };
    };
    const dropped = this.tools.users === 'single' ? undefined : capabilities;
    // An image has no programs that could make process 1.
    if (last === undefined && dropped === undefined && (programs === undefined || !isFirst)) {
      const makes = makeCgroups.length === 0 ? [] : [...this.tools.unshare, ...makeCgroups];
      return into([`--wdns=${cwd}`, ...makes, ...(isFirst ? becomeFirst(facts, procMounts) : [])]);
    }
    const root = rootOf(holder.pid);
    // A shell would complain about a current folder outside of its root: only the tools after it change the folder.
    const becomes = isFirst ? becomeFirst(facts, mountsIn(root, procMounts)) : [];
    const first = isFirst || makeCgroups.length > 0 ? ['--wd=/', ...becomes, tools.unshare, ...makeCgroups] : [];
    const before = [...join, '--root=/', ...first, `--wd=${root}`] as const;
    if (last === undefined) {
      return { file: tools.nsenter, argv: [...before, ...changeRoot(facts, cwd, dropped), ...argv], env, cwd: '/' };
    }
    const step = takeLastStep(call, last, [tools.perl ?? 'perl'], { root: '.', cwd });
    return { file: tools.nsenter, argv: [...before, ...step.argv], env: step.env, cwd: '/' };
  }

  async programOf(pid: number): Promise<number> {
    const { processes, hasOwnCgroups } = this.#options;
    // nsenter stays outside and waits, unless the program sees the processes of the host.
    const child = await this.#waitFor(pid, () => (processes === 'host' ? pid : childrenOf(pid)[0]));
    const program = child ?? pid;
    if (this.#main !== undefined) return program;
    const startTime = startTimeOf(program);
    if (processes === 'first' && child !== undefined && startTime !== undefined)
      this.#first ??= { pid: child, startTime };
    // Commands join its cgroup namespace, which it makes on its way.
    if (hasOwnCgroups) await this.#waitFor(program, () => (cgroupNamespaceOf(program) === OWN_CGROUPS ? undefined : 0));
    this.#main = program;
    return program;
  }

  /** Waits until there is something to be found. Undefined: the process has ended before. */
  async #waitFor(pid: number, find: () => number | undefined): Promise<number | undefined> {
    const { clock } = this.#options;
    const startMs = clock.now().monotonicMs;
    while (clock.now().monotonicMs - startMs < ENTER_LIMIT_MS) {
      const result = find();
      if (result !== undefined || startTimeOf(pid) === undefined) return result;
      await sleep(clock, LOOK_EVERY_MS);
    }
    return undefined;
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
