import { defectText, tellDefect } from '../../../defects.ts';
import type { ExecOutcome, ExecStart, OutputStream, RunningExec, Runtime } from '../../../runtime/index.ts';
import { type FromKeeper, withoutFunctions, type ProcessRef, type ToKeeper } from './protocol.ts';

/** The runtime for commands, and the functions that report on them. */
export interface KeptCommandsOptions {
  readonly runtime: Runtime;
  readonly send: (message: FromKeeper, chunk?: Buffer) => void;
  /** Sends output that a slow agent may hold back. */
  readonly sendOutput: (of: ProcessRef, stream: OutputStream, chunk: Buffer) => void;
}

export interface InteractiveCommand {
  /** Undefined: the command is being started. */
  running: RunningExec | undefined;
  /** True while the agent holds the output back. */
  isHeld: boolean;
}

/** The commands that a keeper runs beside its containers for an agent. They end with the agent. */
export class KeptCommands {
  readonly #options: KeptCommandsOptions;
  readonly #commands = new Map<number, AbortController>();
  readonly #sessions = new Map<number, InteractiveCommand>();
  /** Aborted when the current agent is gone. */
  #agentGone = new AbortController();

  constructor(options: KeptCommandsOptions) {
    this.#options = options;
  }

  /** Runs a command to its end, and sends the outcome. */
  async exec({ command, request, wantsOutput }: Extract<ToKeeper, { type: 'exec' }>): Promise<void> {
    const { runtime, send } = this.#options;
    const { signal: agentGone } = this.#agentGone;
    const abort = new AbortController();
    this.#commands.set(command, abort);
    const onOutput = (stream: OutputStream, chunk: Buffer): void =>
      send({ type: 'output', of: { command }, stream }, chunk);
    const running = runtime.exec({ ...request, signal: abort.signal, ...(wantsOutput ? { onOutput } : {}) });
    // The agent waits for the outcome.
    const outcome = await running.catch((error: unknown): ExecOutcome => {
      tellDefect(error);
      return { type: 'failedToStart', error: defectText(error) };
    });
    // The next agent may have used the number for another command.
    if (agentGone.aborted) return;
    this.#commands.delete(command);
    send({ type: 'execOutcome', command, outcome });
  }

  /** Aborts a command of `exec`. */
  abort(command: number): void {
    this.#commands.get(command)?.abort();
  }

  /** Starts an interactive command. Sends the outcome of the start, and later the exit code. */
  async startExec({ command, launch }: Extract<ToKeeper, { type: 'startExec' }>): Promise<void> {
    const { runtime, send, sendOutput } = this.#options;
    const { signal: agentGone } = this.#agentGone;
    const session: InteractiveCommand = { running: undefined, isHeld: false };
    this.#sessions.set(command, session);
    const starting = runtime.startExec({
      ...launch,
      onOutput: (stream, chunk) => {
        if (!agentGone.aborted) sendOutput({ command }, stream, chunk);
      },
      onExit: (exitCode) => {
        if (agentGone.aborted) return;
        this.#sessions.delete(command);
        send({ type: 'execExited', command, exitCode });
      },
    });
    const outcome = await starting.catch((error: unknown): ExecStart => {
      tellDefect(error);
      return { ok: false, error: defectText(error) };
    });
    if (agentGone.aborted) return outcome.ok ? outcome.command.kill() : undefined;
    if (outcome.ok) session.running = outcome.command;
    else this.#sessions.delete(command);
    send({
      type: 'execStarted',
      command,
      outcome: outcome.ok ? { ...outcome, command: withoutFunctions(outcome.command) } : outcome,
    });
  }

  /** The command of `startExec` with that number, until it has ended. */
  session(command: number): InteractiveCommand | undefined {
    return this.#sessions.get(command);
  }

  /**
   * Holds output back.
   * @param isBehind true while the agent does not take its messages
   */
  holdOutput(isBehind: boolean): void {
    for (const { running, isHeld } of this.#sessions.values()) running?.streams.holdOutput(isBehind || isHeld);
  }

  /** Ends all commands of an agent that is gone. */
  end(): void {
    this.#agentGone.abort();
    this.#agentGone = new AbortController();
    for (const command of this.#commands.values()) command.abort();
    for (const { running } of this.#sessions.values()) running?.kill();
    // The next agent begins its numbers anew.
    this.#commands.clear();
    this.#sessions.clear();
  }
}
