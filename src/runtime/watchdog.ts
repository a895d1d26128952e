import { spawn, type ChildProcess } from 'node:child_process';
import { WATCHDOG_SCRIPT } from './watchdog-script.ts';

/** A process group, by its leader. */
export interface WatchedGroup {
  readonly pid: number;
  /** See `quickStartTimeOf`. */
  readonly startTime: string | undefined;
}

// Whatever ends it again and again will not be outwitted.
const STARTS_MAX = 5;

/**
 * Sees to it that containers die with podrun, also when podrun is killed in a way that nobody can react to (SIGKILL,
 * out of memory): a shell of its own session that knows what runs, and whose input ends when podrun does.
 *
 * It is told of a container's mark before the container starts and of its process group right after: in between, on
 * Linux, the mark finds it. A group is forgotten as soon as its leader was reaped. When podrun dies between the two,
 * the number could be another group's by then; on Linux the start time of the leader tells, elsewhere that moment
 * remains.
 *
 * A container that is to survive its agent is never told to it.
 */
export class Watchdog {
  readonly #listed = new Set<string>();
  #shell: ChildProcess | undefined;
  #starts = 0;

  /** Starts it, if it does not run: about a millisecond. Where that fails, the next addition is another attempt. */
  start(): void {
    if (this.#shell !== undefined || this.#starts >= STARTS_MAX) return;
    this.#starts += 1;
    const shell = spawnShell();
    if (shell === undefined) return;
    this.#shell = shell;
    shell.unref();
    const { stdin } = shell;
    stdin?.on('error', () => undefined);
    // The socket of a child process, in spite of its type: it must not keep us alive.
    (stdin as unknown as { unref(): void }).unref();
    shell.once('exit', () => {
      this.#shell = undefined;
      if (this.#listed.size > 0) this.start();
    });
    for (const line of this.#listed) this.#tell(line);
  }

  /** Whatever bears the mark of this container dies with podrun, until the answer is called. */
  mark(containerId: string): () => void {
    return this.#list(containerId, 'mark', 'unmark');
  }

  /** The group dies with podrun, until the answer is called. */
  add({ pid, startTime = '' }: WatchedGroup): () => void {
    return this.#list(`${pid}:${startTime.replaceAll(/\D/g, '')}`, 'add', 'del');
  }

  #list(what: string, begin: string, end: string): () => void {
    const line = `${begin} ${what}`;
    this.#listed.add(line);
    if (this.#shell === undefined) this.start();
    else this.#tell(line);
    return () => {
      if (this.#listed.delete(line)) this.#tell(`${end} ${what}`);
    };
  }

  #tell(line: string): void {
    this.#shell?.stdin?.write(`${line}\n`);
  }
}

function spawnShell(): ChildProcess | undefined {
  try {
    const shell = spawn('/bin/sh', ['-c', WATCHDOG_SCRIPT], {
      // Nothing of ours: no folder that could not be removed, no mark of a container that we run in ourselves, and no
      // output, which somebody may be reading to its end.
      cwd: '/',
      env: { PATH: '/usr/bin:/bin' },
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
    });
    shell.on('error', () => undefined);
    return shell.pid === undefined ? undefined : shell;
  } catch {
    return undefined; // Node throws some errors and emits others
  }
}
