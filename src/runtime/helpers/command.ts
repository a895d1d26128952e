import type { StdioOptions } from 'node:child_process';
import type { Readable } from 'node:stream';
import type { Clock } from '../../clock.ts';
import { errnoText } from '../base/errno.ts';
import { shortageOfDescriptors } from '../base/helper.ts';
import type { OutputStream } from '../base/runtime.ts';
import { exitCodeOf, spawnBeside } from '../start/spawn.ts';
import { quickStartTimeOf } from '../watch/process-identity.ts';
import { CONTAINER_MARKER } from '../watch/process-table.ts';
import { Sweeper } from '../watch/sweeper.ts';
import { Watchdog } from '../watch/watchdog.ts';

/** A command of the user, run in the user's terminal: `podrun apply … -- COMMAND ARGS…`. */
export interface CommandRequest {
  readonly argv: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** True when the command shares a terminal with podrun: Ctrl-C reaches both. */
  readonly interactive: boolean;
  /**
   * Called with the command's output, in place of podrun's own stream. A promise pauses the output. A stream without a
   * function is inherited.
   */
  readonly output?: { readonly [Stream in OutputStream]?: (chunk: Buffer) => Promise<void> | undefined };
}

export interface RunningCommand {
  /** The exit code of the command, or 128 + the number of the signal that ended it. */
  readonly exitCode: Promise<number>;
  /** Passes on a signal that podrun got, unless the terminal has sent it to the command as well. */
  forward(signal: NodeJS.Signals): void;
  /** Resolves when all output was taken. That is later than the exit while another process holds the streams. */
  readonly outputTaken: Promise<unknown>;
}

/** A command that ends as a container does: with all of its processes, and with podrun. */
export interface WholeCommand extends RunningCommand {
  /** Resolves when the command has ended, and no process of it is found any more. Never rejects. */
  readonly swept: Promise<void>;
}

/** The exit codes are the shell's: 127 when the command is not found, 126 when it cannot be run. */
type CommandOutcome<Started> =
  | { readonly ok: true; readonly command: Started }
  | { readonly ok: false; readonly error: string; readonly exitCode: 126 | 127 };

// Ctrl-C and Ctrl-\: the terminal sends these signals to all processes in the foreground.
const TYPED_SIGNALS: ReadonlySet<NodeJS.Signals> = new Set(['SIGINT', 'SIGQUIT']);

/**
 * The time that processes have after the end of their command: tee(1) behind `> >(tee log)` writes the last lines then.
 */
const REST_MS = 500;

let commands = 0;

/**
 * Starts a command of which no process is left: neither half a second after its end, nor when podrun is killed. Its
 * processes have a mark, as the processes of a container have, which podrun in the background does not inherit.
 */
export async function startCommand(request: CommandRequest, clock: Clock): Promise<CommandOutcome<WholeCommand>> {
  const id = `command-${process.pid}-${quickStartTimeOf(process.pid) ?? ''}-${++commands}.`;
  const watchdog = new Watchdog();
  const unmark = watchdog.mark(id);
  watchdog.flush();
  const release = (): void => {
    unmark();
    watchdog.close();
  };
  const outcome = await startInForeground({ ...request, env: { ...request.env, [CONTAINER_MARKER]: id } });
  if (!outcome.ok) {
    release();
    return outcome;
  }
  const { command } = outcome;
  const leader = { pid: command.pid, startTime: quickStartTimeOf(command.pid) };
  const swept = command.exitCode.then(() => new Sweeper(clock).sweep({ id, leader, restMs: REST_MS })).then(release);
  return { ok: true, command: { ...command, swept } };
}

/**
 * Starts a command with podrun's standard streams and in podrun's process group: it can ask questions, and Ctrl-C and
 * Ctrl-Z work as usual.
 */
export async function startInForeground({
  argv,
  env,
  cwd,
  interactive,
  output = {},
}: CommandRequest): Promise<CommandOutcome<RunningCommand & { readonly pid: number }>> {
  const [name] = argv;
  const streamFor = (taker: unknown): 'inherit' | 'pipe' => (taker === undefined ? 'inherit' : 'pipe');
  const stdio: StdioOptions = ['inherit', streamFor(output.stdout), streamFor(output.stderr)];
  const shortage = shortageOfDescriptors();
  if (shortage !== undefined) return notStarted(name, shortage);
  const outcome = await spawnBeside({ file: name, argv, env, cwd, stdio }, { detached: false });
  if (!outcome.ok) return notStarted(name, outcome.errno);
  const { child, pid } = outcome;
  const exitCode = new Promise<number>((resolve) => {
    child.once('exit', (code, signal) => resolve(exitCodeOf(code, signal)));
  });
  const forward = (signal: NodeJS.Signals): void => {
    if (!(interactive && TYPED_SIGNALS.has(signal))) child.kill(signal);
  };
  const outputTaken = Promise.all([take(child.stdout, output.stdout), take(child.stderr, output.stderr)]);
  return { ok: true, command: { pid, exitCode, forward, outputTaken } };
}

async function take(
  stream: Readable | null,
  taker: ((chunk: Buffer) => Promise<void> | undefined) | undefined,
): Promise<void> {
  if (stream === null || taker === undefined) return;
  for await (const chunk of stream) await taker(chunk as Buffer);
}

function notStarted(name: string, errno: string): Extract<CommandOutcome<never>, { readonly ok: false }> {
  const isUnknown = errno === 'ENOENT' && !name.includes('/');
  const why = isUnknown ? 'executable file not found in $PATH' : errnoText(errno);
  return { ok: false, error: `cannot run ${JSON.stringify(name)}: ${why}`, exitCode: errno === 'ENOENT' ? 127 : 126 };
}
