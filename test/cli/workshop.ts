import { type ChildProcess, spawn } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, type TestContext } from 'vitest';
import { stringify } from 'yaml';
import type { Container, Event, Pod, PodSpec } from '../../src/api/generated/types.ts';
import { PATIENCE_MS } from '../patience.ts';
import { quietly } from '../../src/quietly.ts';
import { removeLargeTree } from '../../src/remove-tree.ts';
import { isForHere } from './for-here.ts';
import type { Surroundings } from './in-process.ts';

const PODRUN = fileURLToPath(new URL('../../bin/podrun.js', import.meta.url));

export interface Ended {
  /** The exit code as a shell reports it: 128 + the number of the signal that ended the command. */
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface WatchLine {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: Pod | Event;
}

/** A podrun command that runs: in this process, or in one of its own. */
export abstract class Running {
  abstract readonly ended: Promise<Ended>;
  readonly #seen = { stdout: '', stderr: '' };
  #onOutput: () => void = () => {};

  abstract signal(name: NodeJS.Signals): void;

  protected take(text: string, stream: 'stdout' | 'stderr'): void {
    this.#seen[stream] += text;
    this.#onOutput();
  }

  get stdout(): string {
    return this.#seen.stdout;
  }

  get stderr(): string {
    return this.#seen.stderr;
  }

  /** The output of `-o json` so far. */
  get lines(): WatchLine[] {
    const whole = this.#seen.stdout.slice(0, this.#seen.stdout.lastIndexOf('\n') + 1);
    return watchLines(whole);
  }

  /** Resolves when the output so far fulfils a condition. Fails with the output when that takes too long. */
  async until(condition: (running: this) => boolean): Promise<void> {
    let alarm: NodeJS.Timeout | undefined;
    const seen = new Promise<void>((resolve, reject) => {
      this.#onOutput = () => condition(this) && resolve();
      const tooLong = (): void => reject(new Error(`never came; seen was:\n${this.stdout}\n${this.stderr}`));
      alarm = setTimeout(tooLong, PATIENCE_MS);
      this.#onOutput();
    });
    await seen.finally(() => clearTimeout(alarm));
  }
}

/** The built program, as a user runs it. */
export class Podrun extends Running {
  readonly ended: Promise<Ended>;
  readonly #child: ChildProcess;

  constructor(child: ChildProcess) {
    super();
    this.#child = child;
    for (const name of ['stdout', 'stderr'] as const) {
      child[name]?.setEncoding('utf8').on('data', (text: string) => this.take(text, name));
    }
    this.ended = new Promise((resolve) => {
      child.once('close', (code, signal) => {
        const { stdout, stderr } = this;
        resolve({ exitCode: code ?? 128 + constants.signals[signal ?? 'SIGKILL'], stdout, stderr });
      });
    });
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  /** Resolves when the command watches files, which it does while it waits for the store (Linux). */
  async untilWatching(): Promise<void> {
    const fdinfo = `/proc/${this.pid}/fdinfo`;
    const watches = (): boolean => namesIn(fdinfo).some((fd) => read(`${fdinfo}/${fd}`).includes('inotify wd:'));
    const deadlineMs = Date.now() + PATIENCE_MS;
    while (!watches()) {
      if (Date.now() > deadlineMs) throw new Error(`never watched anything; seen was:\n${this.stdout}\n${this.stderr}`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  /** Closes the reading end of standard output, as `| head -1` does. */
  closeStdout(): void {
    this.#child.stdout?.destroy();
  }

  /** Stops reading standard output until `resumeStdout`. */
  pauseStdout(): void {
    this.#child.stdout?.pause();
  }

  resumeStdout(): void {
    this.#child.stdout?.resume();
  }
}

/** A command in this process. Only it hears of its signals. */
export class RunningHere extends Running {
  readonly ended: Promise<Ended>;
  readonly #signals = new EventEmitter();
  isOver = false;

  constructor(workshop: Workshop, args: readonly string[], surroundings: Omit<Surroundings, 'signals' | 'onOutput'>) {
    super();
    const onOutput: Surroundings['onOutput'] = (text, stream) => this.take(text, stream);
    this.ended = import('./in-process.ts')
      .then(({ runHere }) => runHere(workshop, args, { ...surroundings, signals: this.#signals, onOutput }))
      .finally(() => (this.isOver = true));
  }

  signal(name: NodeJS.Signals): void {
    if (!this.isOver && !this.#signals.emit(name, name)) throw new Error(`the command does not listen for ${name}`);
  }
}

interface WorkshopOptions {
  /** The tests are about Pods that go on in the background, and leave it to the workshop to kill them. */
  readonly leavesPods?: boolean;
}

/** A workshop for one test. Tests that mostly wait can run at the same time. */
export function workshopFor(
  { onTestFinished, task }: Pick<TestContext, 'onTestFinished' | 'task'>,
  options: WorkshopOptions = {},
): Workshop {
  const workshop = new Workshop(options);
  onTestFinished(() => closeFor(task, workshop));
  return workshop;
}

/** A workshop that is empty at the start of each test of the file. */
export function workshopForEach(options: WorkshopOptions = {}): Workshop {
  const workshop = new Workshop(options);
  afterEach(({ task }) => closeFor(task, workshop));
  return workshop;
}

/** Closes the workshop of a test. What the test has left running is told at the end of the run. */
async function closeFor({ meta }: TestContext['task'], workshop: Workshop): Promise<void> {
  const left = await workshop.close();
  if (left.length > 0) meta.left = left;
}

/** A new folder with a state folder, in which podrun runs. */
export class Workshop {
  #folder: string | undefined;
  /** The pids of processes that were here before the folder was made: none is of this workshop. */
  #earlier: ReadonlySet<string> = new Set();
  readonly #started: Podrun[] = [];
  readonly #begun: RunningHere[] = [];
  readonly #options: WorkshopOptions;

  constructor(options: WorkshopOptions = {}) {
    this.#options = options;
  }

  get folder(): string {
    if (this.#folder === undefined) {
      this.#folder = mkdtempSync(path.join(tmpdir(), 'podrun-cli-'));
      this.#earlier = new Set(pids().filter((pid) => STANDING.has(pid)));
    }
    return this.#folder;
  }

  get stateDir(): string {
    return path.join(this.folder, 'state');
  }

  /** Writes a manifest of one Pod. Answers its path. The Pod's marker finds its processes. Its probes have patience. */
  pod(name: string, spec: PodSpec): string {
    const marked = spec.containers.map((container) => ({
      ...withPatience(container),
      image: container.image ?? 'busybox',
      env: [...(container.env ?? []), { name: 'WORKSHOP', value: this.folder }],
    }));
    const init = spec.initContainers && { initContainers: spec.initContainers.map(withPatience) };
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec: { ...spec, ...init, containers: marked } };
    return this.file(`${name}.yaml`, stringify(pod, { aliasDuplicateObjects: false }));
  }

  /** Writes a file that other users may read, whatever the umask is. */
  file(name: string, text: string): string {
    const file = path.join(this.folder, name);
    writeFileSync(file, text);
    chmodSync(file, 0o644);
    return file;
  }

  folderNamed(name: string): string {
    const folder = path.join(this.folder, name);
    mkdirSync(folder);
    chmodSync(folder, 0o755);
    return folder;
  }

  /** The words of a podrun command. */
  commandLine(args: readonly string[]): string[] {
    return [process.execPath, PODRUN, ...args];
  }

  /** Begins a command in this process: what a test sees and signals while it runs needs no process of its own. */
  begin(args: readonly string[], env: Readonly<Record<string, string>> = {}): RunningHere {
    const running = new RunningHere(this, args, { env });
    this.#begun.push(running);
    return running;
  }

  /**
   * Starts the program. For tests of the process: of its start and its end, its terminal, its files.
   * @param input what comes through a pipe; without it, there is no input
   * @param options ownGroup: podrun leads a process group, as when a shell starts it; program: a podrun of its own
   */
  start(
    args: readonly string[],
    env: Readonly<Record<string, string>> = {},
    input?: string,
    { ownGroup = false, program = PODRUN }: { readonly ownGroup?: boolean; readonly program?: string } = {},
  ): Podrun {
    const child = spawn(process.execPath, [program, ...args], {
      cwd: this.folder,
      env: {
        ...process.env,
        NO_COLOR: '1',
        CI: 'true',
        PODRUN_STATE_DIR: this.stateDir,
        // No test asks a registry of the world.
        PODRUN_IMAGES: 'host',
        PODRUN_IMAGE_DIR: `${this.stateDir}.images`,
        ...env,
      },
      stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
      detached: ownGroup,
    });
    child.stdin?.end(input);
    const podrun = new Podrun(child);
    this.#started.push(podrun);
    return podrun;
  }

  /** Runs a command to its end: in this process, unless it needs one of its own. */
  async run(
    args: readonly string[],
    env: Readonly<Record<string, string>> = {},
    surroundings: Omit<Surroundings, 'env'> = {},
  ): Promise<Ended> {
    if (!isForHere(args, env)) return this.start(args, env).ended;
    const { runHere } = await import('./in-process.ts');
    return runHere(this, args, { ...surroundings, env });
  }

  /** The pids of processes that began after the folder was made: to read all of /proc takes some milliseconds. */
  #pids(): string[] {
    return pids().filter((pid) => !this.#earlier.has(pid));
  }

  /** The command lines of live processes of this workshop's Pods. */
  processes(): string[] {
    return this.#pids()
      .filter((pid) => readProc(pid, 'environ').includes(`WORKSHOP=${this.folder}\0`))
      .map((pid) => `${pid} ${readProc(pid, 'cmdline').replaceAll('\0', ' ')}`);
  }

  /** The live background processes of podrun for this workshop's state folder. */
  backgroundProcesses(): number[] {
    const isOurs = (pid: string): boolean => readProc(pid, 'cmdline').includes(`\0--state-dir\0${this.stateDir}\0run-`);
    return this.#pids().filter(isOurs).map(Number);
  }

  /** The processes of the networks of Pods in the background: they outlive podrun, also when it is killed. */
  #networkProcesses(): number[] {
    const isOurs = (environ: string): boolean =>
      environ.split('\0').some((pair) => pair.startsWith('PODRUN_NETWORK_OF=') && pair.endsWith(`:${this.stateDir}`));
    return this.#pids()
      .filter((pid) => isOurs(readProc(pid, 'environ')))
      .map(Number);
  }

  /** The live processes of the background and of Pods, by pid and command line. */
  #left(): string[] {
    const others = [...this.backgroundProcesses(), ...this.#networkProcesses()];
    const lines = others.map((pid) => `${pid} ${readProc(String(pid), 'cmdline').replaceAll('\0', ' ')}`);
    return [...new Set([...lines, ...this.processes()])];
  }

  /**
   * Kills the podruns that still run of those that the test has started, and removes the folder. Other processes have a
   * moment to end: the rest is killed.
   * @returns the processes that were left in the background, by pid and command line
   */
  async close(): Promise<string[]> {
    const started = this.#started.splice(0);
    for (const podrun of started) podrun.signal('SIGKILL');
    await Promise.all([...started.map(({ ended }) => ended), ...this.#begun.splice(0).map(endNow)]);
    if (this.#folder === undefined) return [];
    const deadlineMs = Date.now() + (this.#options.leavesPods === true ? 0 : MOMENT_MS);
    let left = this.#left();
    while (left.length > 0 && Date.now() < deadlineMs) {
      await new Promise((go) => setTimeout(go, 50));
      left = this.#left();
    }
    for (const line of left) kill(Number.parseInt(line, 10));
    // A mkfifo of a killed podrun may still write to the folder.
    await removeLargeTree(this.folder, { maxRetries: 20, retryDelay: 50 });
    this.#folder = undefined;
    return this.#options.leavesPods === true ? [] : left;
  }
}

/**
 * The pids when this file was loaded: of the machine and of the test runner, whose processes last. The pid of a process
 * that ends during a test could become the pid of its Pod.
 */
const STANDING: ReadonlySet<string> = new Set(pids());

const PROBES = ['startupProbe', 'livenessProbe', 'readinessProbe'] as const;

/** A busy machine needs longer for an attempt of a probe than the default of one second. */
function withPatience(container: Container): Container {
  const probes = PROBES.flatMap((name) => {
    const probe = container[name];
    return probe === undefined ? [] : [[name, { timeoutSeconds: PATIENCE_MS / 1000, ...probe }]];
  });
  return { ...container, ...(Object.fromEntries(probes) as Partial<Container>) };
}

/** The time in which processes that are about to end are gone. */
const MOMENT_MS = 2000;

export function watchLines(text: string): WatchLine[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as WatchLine);
}

/** The Pods of watch events, in order. */
export function podsIn(lines: readonly WatchLine[]): Pod[] {
  return lines.map(({ object }) => object).filter((object): object is Pod => object.kind === 'Pod');
}

/** Ends a command in this process as a second Ctrl-C does, if the test has not ended it. */
async function endNow(command: RunningHere): Promise<void> {
  while (!command.isOver) {
    quietly(() => command.signal('SIGTERM'));
    await Promise.race([command.ended, new Promise((go) => setTimeout(go, SECOND_SIGNAL_MS))]);
  }
}

/** Signals that come sooner count as one. */
const SECOND_SIGNAL_MS = 600;

/** Ends a process, which may just have ended by itself. */
function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** The pids of all processes. None where the machine has no /proc. */
function pids(): string[] {
  return namesIn('/proc').filter((name) => /^\d+$/.test(name));
}

function readProc(pid: string, file: string): string {
  return read(`/proc/${pid}/${file}`);
}

/** The text of a file. Empty when the file is gone. */
function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
