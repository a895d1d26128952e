import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { lstatSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import { nextEventLoopTurn } from '../../../clock.ts';
import { guardedProcess } from '../../../defects.ts';
import type { FileOwners } from '../../base/confinement.ts';
import type { NamespaceFacts } from '../../base/features.ts';
import { ignoresSignal, killProcess } from '../../watch/kill.ts';
import { startTimeOf } from '../../watch/process-identity.ts';
import { joinPrefix, type NetworkJoin } from '../../base/join.ts';
import { childrenOf, CONTAINER_MARKER } from '../../watch/process-table.ts';
import { spawnSlot } from '../../start/spawn.ts';
import type { RootPrograms } from '../image/programs.ts';
import type { ForeignFolder } from './mount-points.ts';
import { type FstabEntry, fstabText, seriousFailure } from './fstab.ts';

/**
 * Namespaces that other processes can join, and the process that keeps them: process 1 of its PID namespace, if it has
 * one.
 */
export interface Holder {
  /** The pid on the host of the process that keeps the namespaces. */
  readonly pid: number;
  /** Settles when the holder, and all processes in its PID namespace, have ended. */
  readonly ended: Promise<void>;
  kill(): void;
}

/** A kind of namespace, by its name in unshare(1) and nsenter(1). */
export type NamespaceKind = 'mount' | 'uts' | 'ipc' | 'pid';

/** A process whose namespaces can be joined. */
export interface Joinable {
  readonly pid: number;
  /** A process in the user namespace that owns the other namespaces. */
  readonly userPid: number;
  readonly users: FileOwners;
}

export interface HolderRequest {
  readonly facts: NamespaceFacts;
  /** The id of the container, the mark of all its processes. */
  readonly id: string;
  /** The namespaces to create. */
  readonly own: readonly NamespaceKind[];
  /** The users of a new user namespace. */
  readonly users: FileOwners;
  /** A process, and the kinds of its namespaces to join first. */
  readonly base: HolderBase | undefined;
  /** The tie of its mounts to the host's, as for unshare(1). Default: none, it has the mounts of the moment. */
  readonly propagation?: 'slave' | 'unchanged' | undefined;
  /** The private network to join. Undefined: the host's network. */
  readonly network: NetworkJoin | undefined;
}

interface HolderBase {
  readonly from: Joinable;
  readonly kinds: readonly NamespaceKind[];
  /** Another process, whose mount namespace is joined. */
  readonly mountsOf?: number | undefined;
}

/** The work of a holder in its new namespaces. */
export interface HolderWork {
  readonly hostname: string | undefined;
  /** The value of kernel.shm_rmid_forced in its new IPC namespace. Undefined: the kernel's. */
  readonly shmRmidForced?: string | undefined;
  /** The mounts that keep their tie to the host, see {@link TiedMounts}. Undefined: none. */
  readonly tied?: TiedMounts | undefined;
  /** The mounts, in order. */
  readonly entries: readonly FstabEntry[];
  /** The file to write for mount(8). */
  readonly fstab: string;
  /** The folder that becomes the root. Undefined: the host's root stays. */
  readonly root: string | undefined;
  /** A folder of programs that becomes the root of process 1, while the mounts stay. Undefined: the host's root. */
  readonly jail?: string | undefined;
  /** The folder for a tmpfs with the container's layers. Undefined: they stay on disk. */
  readonly memory?: string | undefined;
  /** The current folder of mount(8), from which layers of images are named. Undefined: there are none. */
  readonly base?: string | undefined;
  /** An image as the root. Undefined: the new root has the programs of the host. */
  readonly image?: HeldImage | undefined;
}

/** Mounts whose tie to the host is kept, in a mount namespace with the propagation `unchanged`. */
export interface TiedMounts {
  /** The mounts, below a mount that is private by then, so that the host does not see them. */
  readonly staged: readonly FstabEntry[];
  /** The mount point that contains the container's layer: it becomes private, so that the host sees no mount there. */
  readonly apart: string;
  /** The file to write for mount(8). */
  readonly fstab: string;
}

interface HeldImage {
  readonly programs: RootPrograms;
  /** Folders that get the owners of other folders, which podrun may not give away. */
  readonly foreign: readonly ForeignFolder[];
}

/**
 * The script of a holder. Reads one line each from its input: new root, host name, kernel.shm_rmid_forced, folder for a
 * tmpfs with the layers beside it, jail, the file for mount(8), the file and the mount point of tied mounts, and for
 * a root without the host's programs the current folder of mount(8), the words of mount(8), umount(8) and process 1.
 * Then two lines for each folder that gets the owner of another one. Calls the host's programs by their paths.
 *
 * One mount(8) makes all mounts, because starting a program takes as long as twenty mounts. When only some of them fail
 * (64), the script continues, and the caller reads from the messages whether one was needed.
 *
 * Mounts with a tie to the host are made first, and the old root is unmounted without a tie: the host would lose its
 * mounts.
 *
 * With a new root, the old one is unmounted: no part of it is left in the container, and process 1 has no rights that
 * other processes could borrow. A process that ignores SIGCHLD has no zombies: that makes `sleep` a process 1. (A shell
 * would reset the signal.)
 */
function script({ mount, umount, pivotRoot, setpriv, unshare, env, sleep }: NamespaceFacts['tools']): string {
  const last = lastWords([setpriv], [env], [sleep]);
  const words = (list: readonly string[]): string => list.map((word) => `'${word}'`).join(' ');
  return [
    'for place in root name forced memory jail fstab tied apart folder slave umount last; do',
    '  IFS= read -r "$place" || exit 1',
    'done',
    // util-linux 2.39 and later would use the system call that takes no more than 256 bytes for an option.
    'if [ -n "$folder" ]; then cd "$folder" && export LIBMOUNT_FORCE_MOUNT2=always || exit 1; fi',
    'while IFS= read -r from && IFS= read -r to; do chown -h --reference="$from" "$to" || exit 1; done',
    'if [ -n "$name" ]; then',
    '  { echo "$name" >/proc/sys/kernel/hostname || hostname "$name"; } 2>/dev/null',
    'fi',
    '[ -z "$forced" ] || { echo "$forced" >/proc/sys/kernel/shm_rmid_forced; } 2>/dev/null ||',
    '  { echo "the kernel does not take $forced for the sysctl kernel/shm_rmid_forced" >&2; exit 1; }',
    'if [ -n "$tied" ]; then',
    `  '${mount}' -n --make-private /proc && '${mount}' -n -c -a -T "$tied" || exit 1`,
    `  '${mount}' -n --make-private "$apart" || exit 1`,
    'fi',
    'if [ -n "$memory" ]; then',
    `  '${mount}' -n -c -t tmpfs -o mode=0700 layers "$memory" || exit 1`,
    '  cp -a "$memory"/../upper* "$memory"/../work* "$memory" || exit 1',
    'fi',
    `'${mount}' -n -c -a -T "$fstab" && done=all || { [ $? = 64 ] && done=some; } || exit 1`,
    'if [ -n "$root" ]; then',
    `  cd "$root" && '${pivotRoot}' . . || exit 1`,
    // A file of the image could name a program that unmounts.
    '  if [ -n "$last" ]; then',
    '    [ -z "$tied" ] || LIBMOUNT_UTAB=/dev/null LIBMOUNT_FSTAB=/dev/null $slave -n -c --make-rslave /.. || exit 1',
    '    LIBMOUNT_UTAB=/dev/null LIBMOUNT_FSTAB=/dev/null $umount -i -n -l -c . || exit 1',
    '    set -- $last',
    '  else',
    `    [ -z "$tied" ] || '${mount}' -n -c --make-rslave /.. || exit 1`,
    `    '${umount}' -n -l -c . || exit 1`,
    `    set -- ${words(last)}`,
    '  fi',
    '  cd / || exit 1',
    'elif [ -n "$jail" ]; then',
    `  set -- '${unshare}' "--root=$jail" ${words(last.map(inJail))}`,
    'else',
    `  set -- ${words(last.slice(3))}`,
    'fi',
    'echo "mounted $done" >&2',
    // Standard output is /dev/null, also where a volume lies over /dev.
    'exec "$@" <&1 2>&1',
  ].join('\n');
}

/** The words of process 1: a program without rights that ignores SIGCHLD. */
function lastWords(setpriv: readonly string[], env: readonly string[], sleep: readonly string[]): string[] {
  const unprivileged = [...setpriv, '--bounding-set=-all', '--inh-caps=-all'];
  return [...unprivileged, ...env, '--ignore-signal=CHLD', ...sleep, 'infinity'];
}

/** The folder with all programs and libraries, which can be a root. Undefined: /bin and /lib are separate folders. */
export function jailSource(): string | undefined {
  const isMerged = ['/bin', '/lib'].every((at) => lstatSync(at, { throwIfNoEntry: false })?.isSymbolicLink() === true);
  return isMerged ? '/usr' : undefined;
}

/** The path of a program where /usr is the root. */
function inJail(word: string): string {
  return word.startsWith('/usr/') ? word.slice('/usr'.length) : word;
}

const PATH = '/usr/sbin:/usr/bin:/sbin:/bin';

/** A holder that creates its namespaces and waits for its work. */
export interface StartedHolder {
  readonly child: ChildProcessByStdio<Writable, null, Readable>;
  readonly ended: Promise<void>;
}

/** Starts a holder. The kernel ends it when podrun ends, for any reason. */
export async function startHolder(request: HolderRequest): Promise<StartedHolder> {
  await spawnSlot();
  const [file, ...args] = holderCommand(request);
  const child = guardedProcess(
    spawn(file, args, {
      stdio: ['pipe', 'ignore', 'pipe'],
      // In its own session: signals of the terminal do not reach it.
      detached: true,
      cwd: '/',
      env: { PATH, LC_ALL: 'C', [CONTAINER_MARKER]: request.id },
    }),
  );
  const ended = once(child, 'exit').then(
    () => undefined,
    () => undefined,
  );
  // The holder may end at any time; `ended` and its messages tell that.
  child.stdin.on('error', () => undefined);
  return { child, ended };
}

/**
 * Sends a holder its work.
 * @param prepare computes the work while the namespaces are being made
 * @throws {Error} with the messages of the tools after a failure, or what `prepare` throws
 */
export async function setUpHolder({ child, ended }: StartedHolder, prepare: () => HolderWork): Promise<Holder> {
  try {
    const output = readHolderOutput(child);
    const work = prepare();
    if (work.tied !== undefined) writeFileSync(work.tied.fstab, fstabText(work.tied.staged), { mode: 0o600 });
    writeFileSync(work.fstab, fstabText(work.entries), { mode: 0o600 });
    child.stdin.end(linesOf(work));
    const { mounted, messages } = await output;
    const failure = mounted === 'all' ? undefined : seriousFailure(messages, work.entries);
    const pid = child.pid === undefined ? undefined : childrenOf(child.pid)[0];
    if (failure !== undefined || mounted === undefined || pid === undefined) {
      throw new Error(failure ?? 'the namespaces of the container could not be made');
    }
    // Until it is its last program, the holder would keep the zombies of processes that come to it.
    while (!ignoresSignal(pid, constants.signals.SIGCHLD)) await new Promise<void>(nextEventLoopTurn);
    const startTime = startTimeOf(pid);
    return { pid, ended, kill: () => void (startTime && killProcess({ pid, startTime })) };
  } catch (error) {
    child.kill('SIGKILL');
    await ended;
    throw error;
  }
}

function linesOf({
  root = '',
  hostname = '',
  shmRmidForced = '',
  memory = '',
  jail = '',
  fstab,
  tied,
  base = '',
  image,
}: HolderWork): string {
  const { programs, foreign = [] } = image ?? {};
  const last = programs && lastWords(programs.words('setpriv'), programs.words('env'), programs.words('sleep'));
  const owners = foreign.flatMap(({ from, to }) => [from, to]);
  const words = [programs?.words('mount'), programs?.words('umount'), last].map((list = []) => list.join(' '));
  const lines = [
    root,
    hostname,
    shmRmidForced,
    memory,
    jail,
    fstab,
    tied?.fstab ?? '',
    tied?.apart ?? '',
    base,
    ...words,
    ...owners,
  ];
  return lines.map((line) => `${line}\n`).join('');
}

/** The command line that creates the namespaces. */
function holderCommand({ facts, own, users, base, network, propagation }: HolderRequest): [string, ...string[]] {
  const { tools, mode } = facts;
  const mounts = base?.mountsOf === undefined ? [] : [`--mount=/proc/${base.mountsOf}/ns/mnt`];
  const join =
    base === undefined
      ? []
      : [tools.nsenter, ...joinFlags(base.from, base.kinds, mode), ...mounts, '--no-fork', '--wdns=/'];
  const mapped = users === 'mapped' ? ['--map-auto'] : [];
  const user = mode === 'user' && base === undefined ? ['--user', ...mapped, '--map-root-user'] : [];
  const tie = propagation === undefined ? [] : ['--propagation', propagation];
  const make = [tools.unshare, ...user, ...tie, ...own.map((kind) => `--${kind}`), '--fork', '--kill-child'];
  const others = network === undefined ? [] : joinPrefix(network);
  return [tools.setpriv, '--pdeathsig', 'KILL', ...others, ...join, ...make, tools.sh, '-c', script(tools)];
}

/** The options of nsenter(1) for joining namespaces. */
export function joinFlags(
  { pid, userPid }: Pick<Joinable, 'pid' | 'userPid'>,
  kinds: readonly NamespaceKind[],
  mode: NamespaceFacts['mode'],
): string[] {
  const user = mode === 'user' ? [`--user=/proc/${userPid}/ns/user`, '--preserve-credentials'] : [];
  return ['--target', String(pid), ...user, ...kinds.map((kind) => `--${kind}`)];
}

interface HolderOutput {
  /** Undefined: no mount succeeded, or a later step failed. */
  readonly mounted: 'all' | 'some' | undefined;
  /** The messages of the programs. */
  readonly messages: string;
}

function readHolderOutput(child: StartedHolder['child']): Promise<HolderOutput> {
  return new Promise((resolve) => {
    let text = '';
    child.stderr.on('data', (piece: Buffer) => {
      text += piece.toString();
      const [line, mounted] = /^mounted (all|some)\n/m.exec(text) ?? [];
      if (line !== undefined) resolve({ mounted: mounted as 'all' | 'some', messages: text.replace(line, '') });
    });
    child.stderr.on('error', () => undefined);
    child.once('error', (error) => resolve({ mounted: undefined, messages: error.message }));
    child.once('close', () => resolve({ mounted: undefined, messages: text }));
  });
}
