import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { lstatSync, readFileSync, writeFileSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import type { NamespaceFacts } from '../features.ts';
import { killProcess } from '../kill.ts';
import { startTimeOf } from '../process-identity.ts';
import { joinWords, type NetworkJoin } from '../network/join.ts';
import { CONTAINER_MARKER } from '../process-table.ts';
import { turnToSpawn } from '../spawn.ts';
import { type FstabEntry, fstabText, seriousFailure } from './fstab.ts';

/** Namespaces that hold others can join, and a process that keeps them alive: process 1, where they have processes. */
export interface Holder {
  /** Of the process that keeps the namespaces, as this host counts. */
  readonly pid: number;
  /** Settles when the holder has ended, and with its process namespace everything in it. */
  readonly ended: Promise<void>;
  kill(): void;
}

/** The namespaces of a process, by the names of unshare(1) and nsenter(1). */
export type NamespaceKind = 'mount' | 'uts' | 'ipc' | 'pid';

/** A process whose namespaces others can join. */
export interface Joinable {
  readonly pid: number;
  /** A process that is still in the user namespace to which the others belong. */
  readonly userPid: number;
}

export interface HolderRequest {
  readonly facts: NamespaceFacts;
  /** ID of the container, which marks all of its processes. */
  readonly id: string;
  /** Namespaces of its own. */
  readonly own: readonly NamespaceKind[];
  /** A process, and those of its namespaces in which these ones are made. */
  readonly base: { readonly from: Joinable; readonly kinds: readonly NamespaceKind[] } | undefined;
  /** The private network that they belong to; undefined: that of the host. */
  readonly network: NetworkJoin | undefined;
}

/** What a holder does once it has its namespaces. */
export interface HolderWork {
  readonly hostname: string | undefined;
  /** What is mounted, in this order. */
  readonly entries: readonly FstabEntry[];
  /** A file to be written that says so to mount(8). */
  readonly fstab: string;
  /** The folder that becomes the root; undefined: it stays that of the host. */
  readonly root: string | undefined;
  /** A folder of programs that becomes the root of process 1, while the mounts stay; undefined: the host's root. */
  readonly jail?: string | undefined;
  /** Where the layers of the container are taken into a tmpfs; undefined: they stay on disk. */
  readonly memory?: string | undefined;
}

/**
 * Reads from its input, a line each: new root, host name, where a tmpfs takes in the layers beside it, a jail, and the
 * file that says what to mount. The programs are those of the host, by their paths.
 *
 * One mount(8) makes all mounts, as a program takes as long as twenty of them. With some it may fail (64): it goes on
 * with the others, and who reads its words knows whether one was needed.
 *
 * With a new root, the old one is unmounted: nothing of it is left in the container, and process 1 has no rights that
 * others in the container could borrow. With SIGCHLD ignored, a process is rid of children without asking after them:
 * that makes `sleep` a process 1 which leaves no zombies. (A shell would have it otherwise.)
 */
function script({ mount, umount, pivotRoot, setpriv, unshare, env, sleep }: NamespaceFacts['tools']): string {
  const last = [setpriv, '--bounding-set=-all', '--inh-caps=-all', env, '--ignore-signal=CHLD', sleep, 'infinity'];
  const words = (list: readonly string[]): string => list.map((word) => `'${word}'`).join(' ');
  return [
    'for place in root name memory jail fstab; do IFS= read -r "$place" || exit 1; done',
    'if [ -n "$name" ]; then',
    '  { echo "$name" >/proc/sys/kernel/hostname || hostname "$name"; } 2>/dev/null',
    'fi',
    'if [ -n "$memory" ]; then',
    `  '${mount}' -n -c -t tmpfs -o mode=0700 layers "$memory" || exit 1`,
    '  cp -a "$memory"/../upper* "$memory"/../work* "$memory" || exit 1',
    'fi',
    `'${mount}' -n -c -a -T "$fstab" && done=all || { [ $? = 64 ] && done=some; } || exit 1`,
    'if [ -n "$root" ]; then',
    `  cd "$root" && '${pivotRoot}' . . && '${umount}' -n -l -c . && cd / || exit 1`,
    `  set -- ${words(last)}`,
    'elif [ -n "$jail" ]; then',
    `  set -- '${unshare}' "--root=$jail" ${words(last.map(inJail))}`,
    'else',
    `  set -- ${words(last.slice(3))}`,
    'fi',
    'echo "mounted $done" >&2',
    'exec "$@" </dev/null 2>/dev/null',
  ].join('\n');
}

/** The folder of all programs and libraries, which can be a root; undefined: /bin and /lib are folders of their own. */
export function jailSource(): string | undefined {
  const isMerged = ['/bin', '/lib'].every((at) => lstatSync(at, { throwIfNoEntry: false })?.isSymbolicLink() === true);
  return isMerged ? '/usr' : undefined;
}

/** The path of a program where /usr is the root. */
function inJail(word: string): string {
  return word.startsWith('/usr/') ? word.slice('/usr'.length) : word;
}

const PATH = '/usr/sbin:/usr/bin:/sbin:/bin';

/** A holder that has its namespaces, or is about to, and waits to be told what to do. */
export interface BegunHolder {
  readonly child: ChildProcessByStdio<Writable, null, Readable>;
  readonly ended: Promise<void>;
}

/** Begins to make namespaces. Whatever becomes of podrun, the kernel ends the holder when podrun ends. */
export async function beginHolder(request: HolderRequest): Promise<BegunHolder> {
  await turnToSpawn();
  const [file, ...args] = holderCommand(request);
  const child = spawn(file, args, {
    stdio: ['pipe', 'ignore', 'pipe'],
    // A session of its own: no signal of the terminal gets there.
    detached: true,
    cwd: '/',
    env: { PATH, LC_ALL: 'C', [CONTAINER_MARKER]: request.id },
  });
  const ended = once(child, 'exit').then(
    () => undefined,
    () => undefined,
  );
  // It may fail at any time, which it says otherwise.
  child.stdin.on('error', () => undefined);
  return { child, ended };
}

/**
 * Has a holder mount what is to be seen in its namespaces.
 * @param prepare says what is to be done, while the namespaces are being made
 * @throws {Error} with what the tools said when it could not be done, or what `prepare` throws
 */
export async function setUpHolder({ child, ended }: BegunHolder, prepare: () => HolderWork): Promise<Holder> {
  try {
    const said = saidByHolder(child);
    const work = prepare();
    writeFileSync(work.fstab, fstabText(work.entries));
    child.stdin.end(linesOf(work));
    const { mounted, words } = await said;
    const failure = mounted === 'all' ? undefined : seriousFailure(words, work.entries);
    const pid = child.pid === undefined ? undefined : childOf(child.pid);
    if (failure !== undefined || mounted === undefined || pid === undefined) {
      throw new Error(failure ?? 'the namespaces of the container could not be made');
    }
    const startTime = startTimeOf(pid);
    return { pid, ended, kill: () => void (startTime && killProcess({ pid, startTime })) };
  } catch (error) {
    child.kill('SIGKILL');
    await ended;
    throw error;
  }
}

function linesOf({ root = '', hostname = '', memory = '', jail = '', fstab }: HolderWork): string {
  return [root, hostname, memory, jail, fstab].map((line) => `${line}\n`).join('');
}

/** The command line that makes the namespaces. */
function holderCommand({ facts, own, base, network }: HolderRequest): [string, ...string[]] {
  const { tools, mode } = facts;
  const join =
    base === undefined ? [] : [tools.nsenter, ...joinFlags(base.from, base.kinds, mode), '--no-fork', '--wdns=/'];
  const user = mode === 'user' && base === undefined ? ['--user', '--map-root-user'] : [];
  const make = [tools.unshare, ...user, ...own.map((kind) => `--${kind}`), '--fork', '--kill-child'];
  const others = network === undefined ? [] : joinWords(network);
  return [tools.setpriv, '--pdeathsig', 'KILL', ...others, ...join, ...make, tools.sh, '-c', script(tools)];
}

/** How nsenter(1) is told to join namespaces. */
export function joinFlags(
  { pid, userPid }: Joinable,
  kinds: readonly NamespaceKind[],
  mode: NamespaceFacts['mode'],
): string[] {
  const user = mode === 'user' ? [`--user=/proc/${userPid}/ns/user`, '--preserve-credentials'] : [];
  return ['--target', String(pid), ...user, ...kinds.map((kind) => `--${kind}`)];
}

/** The only child of a process; undefined: it has none, or has ended. */
export function childOf(pid: number): number | undefined {
  try {
    return Number.parseInt(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8'), 10) || undefined;
  } catch {
    return undefined;
  }
}

interface SaidByHolder {
  /** Undefined: not even some, or what follows has failed. */
  readonly mounted: 'all' | 'some' | undefined;
  /** What the programs have said. */
  readonly words: string;
}

function saidByHolder(child: BegunHolder['child']): Promise<SaidByHolder> {
  return new Promise((resolve) => {
    let text = '';
    child.stderr.on('data', (piece: Buffer) => {
      text += piece.toString();
      const [line, mounted] = /^mounted (all|some)\n/m.exec(text) ?? [];
      if (line !== undefined) resolve({ mounted: mounted as 'all' | 'some', words: text.replace(line, '') });
    });
    child.stderr.on('error', () => undefined);
    child.once('error', (error) => resolve({ mounted: undefined, words: error.message }));
    child.once('close', () => resolve({ mounted: undefined, words: text }));
  });
}
