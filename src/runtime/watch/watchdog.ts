import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { caught, guardedProcess } from '../../defects.ts';
import { WATCHDOG_SCRIPT } from './watchdog-script.ts';

/** A process group, by its leader. */
export interface WatchedGroup {
  readonly pid: number;
  /** See `quickStartTimeOf`. */
  readonly startTime: string | undefined;
}

/** The output pipes of a container by name, and the log for their content. */
export interface WatchedPipes {
  readonly stdout: string;
  readonly stderr: string;
  /** A container log, see `ContainerLaunch.logFile`. */
  readonly logFile: string;
}

/** Pipes that are held. A second call of a function has no effect. */
export interface HeldPipes {
  /** Called when the container's own program runs, and no tool before it. */
  readonly runs: () => void;
  readonly release: () => void;
}

// The common shell that can hold any number of descriptors, see watchdog-script.ts.
const BASH = '/bin/bash';

// The first descriptor for a pipe: the lower ones belong to the shell.
const FIRST_PIPE = 10;

// The most starts: whatever kills the watchdog again and again will do so again.
const STARTS_MAX = 5;

/**
 * Ends containers when podrun is killed in a way that podrun cannot handle (SIGKILL, out of memory). A shell in its own
 * session has a list of running containers, and its input ends with podrun.
 *
 * The shell gets the mark of a container before the start and its process group right after: in between, on Linux, the
 * mark finds the container. A group is removed from the list as soon as its leader was reaped. When podrun dies between
 * the two, another group may have the number: on Linux the start time of the leader reveals that, elsewhere this risk
 * remains.
 *
 * The watchdog also writes unread output into the logs: see `hold`.
 *
 * Containers that outlive their agent are not on its list.
 */
export class Watchdog {
  readonly #listed = new Set<string>();
  #shell: ChildProcess | undefined;
  #starts = 0;
  /** Pipe numbers that were used and are free again. */
  readonly #freePipes: number[] = [];
  /** Lines that were not sent yet. */
  #unsent = '';
  #nextPipe = FIRST_PIPE;
  #marks = 0;

  /** Starts the shell if it does not run: about a millisecond. After a failure, the next addition tries again. */
  start(): void {
    if (this.#shell !== undefined || this.#starts >= STARTS_MAX) return;
    this.#starts += 1;
    const shell = spawnShell();
    if (shell === undefined) return;
    this.#shell = shell;
    shell.unref();
    const { stdin } = shell;
    stdin?.on('error', () => undefined);
    // The stream is a socket, unlike its type. It must not keep podrun running.
    (stdin as unknown as { unref(): void }).unref();
    shell.once('exit', () => {
      if (this.#shell !== shell) return;
      this.#shell = undefined;
      if (this.#listed.size > 0) this.start();
    });
    // Lines that were not sent are on the list, or do not matter any more.
    this.#unsent = '';
    for (const lines of this.#listed) this.#send(lines);
  }

  /** Ends all processes with the mark of this container when podrun dies, until the returned function is called. */
  mark(containerId: string): () => void {
    this.#marks += 1;
    return this.#list([`mark ${this.#marks} ${containerId}`], `unmark ${this.#marks}`);
  }

  /** Ends the group when podrun dies, until the returned function is called. */
  add({ pid, startTime = '' }: WatchedGroup): () => void {
    const group = `${pid}:${startTime.replaceAll(/\D/g, '')}`;
    return this.#list([`add ${group}`], `del ${group}`);
  }

  /**
   * Writes the content of these pipes into the log when podrun dies, until they are released. Before `runs` is called,
   * leaves out errors of the tools that start the program.
   */
  hold({ stdout, stderr, logFile }: WatchedPipes): HeldPipes {
    // The protocol has one line for each path.
    if (/\n/.test(stdout + stderr + logFile)) return { runs: () => undefined, release: () => undefined };
    const pipe = this.#freePipes.pop() ?? this.#nextPipe;
    if (pipe === this.#nextPipe) this.#nextPipe += 2;
    const lines = [`log ${pipe} ${logFile}`, `out ${pipe} ${stdout}`, `err ${pipe + 1} ${stderr}`];
    const release = this.#list(lines, `free ${pipe}`);
    let forget: (() => void) | undefined;
    let isHeld = true;
    return {
      runs: () => {
        // A new shell needs this line after the lines of the pipes, in the order of the list.
        if (isHeld) forget ??= this.#list([`runs ${pipe}`]);
      },
      release: () => {
        if (!isHeld) return;
        isHeld = false;
        forget?.();
        release();
        this.#freePipes.push(pipe);
      },
    };
  }

  /** Ends the shell if its list is empty. The next addition starts another one. */
  close(): void {
    if (this.#listed.size > 0) return;
    this.flush();
    const shell = this.#shell;
    this.#shell = undefined;
    this.#starts = 0;
    shell?.stdin?.end();
  }

  #list(lines: readonly string[], end?: string): () => void {
    const text = lines.join('\n');
    this.#listed.add(text);
    if (this.#shell === undefined) this.start();
    else this.#send(text);
    return () => {
      if (this.#listed.delete(text) && end !== undefined) this.#send(end);
    };
  }

  /**
   * Sends lines in one write for all callers of this turn, in a microtask: a caller that awaits anything finds them
   * sent. Waking the shell takes longer than the rest of a start.
   */
  #send(lines: string): void {
    if (this.#unsent === '') queueMicrotask(caught(() => this.flush()));
    this.#unsent += `${lines}\n`;
  }

  /** Sends the lines now, for callers that do not await anything. */
  flush(): void {
    const lines = this.#unsent;
    this.#unsent = '';
    if (lines !== '') this.#shell?.stdin?.write(lines);
  }
}

function spawnShell(): ChildProcess | undefined {
  try {
    const isBash = process.platform === 'linux' && existsSync(BASH);
    // podrun's pipe is a socket, which bash takes for a connection of rshd: it would run the user's .bashrc.
    const [program, ...flags] = isBash ? [BASH, '--norc'] : ['/bin/sh'];
    const shell = guardedProcess(
      spawn(program, [...flags, '-c', WATCHDOG_SCRIPT], {
        // Inherits nothing of podrun: no folder that could not be removed, no mark of an outer container, and no
        // output, whose reader would wait for its end.
        cwd: '/',
        env: { PATH: '/usr/bin:/bin' },
        stdio: ['pipe', 'ignore', 'ignore'],
        detached: true,
      }),
    );
    shell.on('error', () => undefined);
    return shell.pid === undefined ? undefined : shell;
  } catch {
    return undefined; // Node throws some errors and emits the rest
  }
}
