import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { WATCHDOG_SCRIPT } from './watchdog-script.ts';

/** A process group, by its leader. */
export interface WatchedGroup {
  readonly pid: number;
  /** See `quickStartTimeOf`. */
  readonly startTime: string | undefined;
}

/** What a container writes its output to, by name, and where that belongs. */
export interface WatchedPipes {
  readonly stdout: string;
  readonly stderr: string;
  /** A container log, see `ContainerLaunch.logFile`. */
  readonly logFile: string;
}

/** Pipes that are held. What is called again does nothing. */
export interface HeldPipes {
  /** What writes to them is the container's own program, and nothing else any more. */
  readonly runs: () => void;
  readonly release: () => void;
}

// Of the shells that most machines have, the one that can hold any number of descriptors, see watchdog-script.ts.
const BASH = '/bin/bash';

// The shell's descriptors below are its own.
const FIRST_PIPE = 10;

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
 * It also keeps what podrun had no time to read any more: see `hold`.
 *
 * A container that is to survive its agent is never told to it.
 */
export class Watchdog {
  readonly #listed = new Set<string>();
  #shell: ChildProcess | undefined;
  #starts = 0;
  /** Numbers of pipes that were in use and are free again. */
  readonly #freePipes: number[] = [];
  /** Lines that it has not been told yet. */
  #untold = '';
  #nextPipe = FIRST_PIPE;
  #marks = 0;

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
      if (this.#shell !== shell) return;
      this.#shell = undefined;
      if (this.#listed.size > 0) this.start();
    });
    // What it was about to be told is among these, or is over.
    this.#untold = '';
    for (const lines of this.#listed) this.#tell(lines);
  }

  /** Whatever bears the mark of this container dies with podrun, until the answer is called. */
  mark(containerId: string): () => void {
    this.#marks += 1;
    return this.#list([`mark ${this.#marks} ${containerId}`], `unmark ${this.#marks}`);
  }

  /** The group dies with podrun, until the answer is called. */
  add({ pid, startTime = '' }: WatchedGroup): () => void {
    const group = `${pid}:${startTime.replaceAll(/\D/g, '')}`;
    return this.#list([`add ${group}`], `del ${group}`);
  }

  /**
   * What is still in these pipes when podrun is killed gets into the log, until they are released. Before it is said
   * that the program runs, what the tools say that are to start it does not.
   */
  hold({ stdout, stderr, logFile }: WatchedPipes): HeldPipes {
    // It is told in lines.
    if (/\n/.test(stdout + stderr + logFile)) return { runs: () => undefined, release: () => undefined };
    const pipe = this.#freePipes.pop() ?? this.#nextPipe;
    if (pipe === this.#nextPipe) this.#nextPipe += 2;
    const lines = [`log ${pipe} ${logFile}`, `out ${pipe} ${stdout}`, `err ${pipe + 1} ${stderr}`];
    const release = this.#list(lines, `free ${pipe}`);
    let forget: (() => void) | undefined;
    let isHeld = true;
    return {
      runs: () => {
        // Another shell that takes over has to be told of it after the pipes, as the order of the list has it.
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

  /** Lets it go, where there is nothing left to watch over; the next addition starts another. */
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
    else this.#tell(text);
    return () => {
      if (this.#listed.delete(text) && end !== undefined) this.#tell(end);
    };
  }

  /**
   * It is told once for all who speak at the same time, which is no later than the first of them can go on: whoever
   * waits for anything after a call finds that it knows. To wake it up takes longer than all else of a start.
   */
  #tell(lines: string): void {
    if (this.#untold === '') queueMicrotask(() => this.flush());
    this.#untold += `${lines}\n`;
  }

  /** Tells it now what it would be told in a moment: for those who do not wait. */
  flush(): void {
    const lines = this.#untold;
    this.#untold = '';
    if (lines !== '') this.#shell?.stdin?.write(lines);
  }
}

function spawnShell(): ChildProcess | undefined {
  try {
    const isBash = process.platform === 'linux' && existsSync(BASH);
    // Our pipe is a socket, which bash takes for a connection of rshd: it would run its user's .bashrc.
    const [program, ...flags] = isBash ? [BASH, '--norc'] : ['/bin/sh'];
    const shell = spawn(program, [...flags, '-c', WATCHDOG_SCRIPT], {
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
