import { inBackground } from '../../defects.ts';
import { nextEventLoopTurn } from '../../clock.ts';
import { checkCommand, execID, type ExecDependencies, spawnPiped } from '../start/exec.ts';
import { killGroup } from '../watch/kill.ts';
import { type MainProcess, pipedProcess } from '../start/main-process.ts';
import { factsOf, quickStartTimeOf } from '../watch/process-identity.ts';
import type { ExecLaunch, ExecStart } from '../base/runtime.ts';
import { execFailed } from '../start/start-errors.ts';
import type { Watchdog } from '../watch/watchdog.ts';
import { startInTerminal } from '../terminal/terminal.ts';

/** A command that was started. */
interface StartedExec {
  readonly process: MainProcess;
  /** Settles when the last output was passed on. */
  readonly outputClosed: Promise<unknown>;
  /** Closes output that background children still hold. */
  readonly abandonOutput: () => void;
  readonly notice: string | undefined;
}

/**
 * Starts a command beside the main process of a container, with streams for a client.
 *
 * As on a node, the command ends when its output is closed, not when its process ends: a background child that keeps
 * stdout open delays the end. In a terminal, the output ends with the process.
 */
export async function startExec(launch: ExecLaunch, dependencies: ExecDependencies): Promise<ExecStart> {
  const failed = (why: string): ExecStart => ({ ok: false, error: execFailed(execID(), why) });
  const { inside, watchdog } = dependencies;
  const checked = checkCommand(launch, inside);
  if (!checked.ok) return failed(checked.error);
  const { file } = checked;
  const inTerminal = launch.tty ? await startTerminal(launch, file, dependencies) : undefined;
  if (inTerminal?.ok === true) return attend(launch, inTerminal.exec, watchdog);
  const piped = await startPiped(launch, file, dependencies);
  if (!piped.ok) return failed(piped.why);
  return attend(launch, { ...piped.exec, notice: inTerminal?.why }, watchdog);
}

type ExecStartOutcome =
  | { readonly ok: true; readonly exec: StartedExec }
  | { readonly ok: false; readonly why: string };
async function startTerminal(
  launch: ExecLaunch,
  file: string,
  { inside, clock }: ExecDependencies,
): Promise<ExecStartOutcome> {
  const outcome = await startInTerminal({ ...launch, onExit: () => undefined }, file, inside, clock);
  if (!outcome.ok) return outcome;
  const { process, notice } = outcome;
  const outputClosed = process.ended.then(() => process.finishOutput());
  return { ok: true, exec: { process, outputClosed, abandonOutput: () => undefined, notice } };
}

async function startPiped(launch: ExecLaunch, file: string, dependencies: ExecDependencies): Promise<ExecStartOutcome> {
  const spawned = await spawnPiped(launch, file, launch.stdin, dependencies);
  if (!spawned.ok) return spawned;
  const { child, pid, pipes } = spawned;
  const connected = pipes.connect(child, launch.onOutput);
  const { output: reader } = connected;
  const placed = dependencies.place(pid).then(() => pid);
  const process = await pipedProcess(child, pid, connected, placed);
  return {
    ok: true,
    exec: { process, outputClosed: reader.closed, abandonOutput: () => reader.close(), notice: undefined },
  };
}

function attend({ onExit }: ExecLaunch, exec: StartedExec, watchdog: Watchdog): ExecStart {
  const { process, outputClosed, abandonOutput, notice } = exec;
  const { pid, streams } = process;
  streams.holdOutput(false);
  inBackground(process.ended.then(watchdog.add({ pid, startTime: quickStartTimeOf(pid) })));
  let isRunning = true;
  const ended = process.ended.finally(() => (isRunning = false));
  // The caller sees the start before the end.
  inBackground(Promise.all([ended, outputClosed]).then(([{ exitCode }]) => nextEventLoopTurn(() => onExit(exitCode))));
  const kill = (): void => {
    // Once the process is gone, another one may have its pid. If no process has it, it still names the group.
    if (isRunning || factsOf(pid) === undefined) killGroup(pid);
    // A command that leads a session inside its container has left that group.
    if (isRunning && process.programPid !== pid) killGroup(process.programPid);
    abandonOutput();
  };
  return { ok: true, command: { streams, kill }, notice };
}
