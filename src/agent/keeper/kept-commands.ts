import type { OutputStream, RunningExec, Runtime } from '../../runtime/runtime.ts';
import { type FromKeeper, plain, type ProcessRef, type ToKeeper } from './protocol.ts';

/** What runs commands, and who is told of them. */
export interface KeptCommandsOptions {
  readonly runtime: Runtime;
  readonly send: (message: FromKeeper, chunk?: Buffer) => void;
  /** Sends what can be held back when the agent does not take it. */
  readonly sendOutput: (of: ProcessRef, stream: OutputStream, chunk: Buffer) => void;
}

/** A command that somebody sees and types into. */
export interface Session {
  /** Undefined: it is being started. */
  running: RunningExec | undefined;
  /** The agent wants its output to stay where it is. */
  isHeld: boolean;
}

/** The commands that a keeper runs beside its containers on behalf of an agent: they end when that is gone. */
export class KeptCommands {
  readonly #options: KeptCommandsOptions;
  readonly #commands = new Map<number, AbortController>();
  /** Commands that somebody sees and types into. */
  readonly #sessions = new Map<number, Session>();
  /** Aborted when the agent that is there now is gone. */
  #agentGone = new AbortController();

  constructor(options: KeptCommandsOptions) {
    this.#options = options;
  }

  /** Runs a command to its end, and tells how it ended. */
  async exec({ command, request, wantsOutput }: Extract<ToKeeper, { type: 'exec' }>): Promise<void> {
    const { runtime, send } = this.#options;
    const { signal: agentGone } = this.#agentGone;
    const abort = new AbortController();
    this.#commands.set(command, abort);
    const onOutput = (stream: OutputStream, chunk: Buffer): void =>
      send({ type: 'output', of: { command }, stream }, chunk);
    const outcome = await runtime.exec({ ...request, signal: abort.signal, ...(wantsOutput ? { onOutput } : {}) });
    // The number may be another command's by now.
    if (agentGone.aborted) return;
    this.#commands.delete(command);
    send({ type: 'execOutcome', command, outcome });
  }

  /** Breaks a command of `exec` off. */
  abort(command: number): void {
    this.#commands.get(command)?.abort();
  }

  /** Starts a command that somebody sees and types into, and tells whether it runs, and later how it ended. */
  async startExec({ command, launch }: Extract<ToKeeper, { type: 'startExec' }>): Promise<void> {
    const { runtime, send, sendOutput } = this.#options;
    const { signal: agentGone } = this.#agentGone;
    const session: Session = { running: undefined, isHeld: false };
    this.#sessions.set(command, session);
    const outcome = await runtime.startExec({
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
    if (agentGone.aborted) return outcome.ok ? outcome.command.kill() : undefined;
    if (outcome.ok) session.running = outcome.command;
    else this.#sessions.delete(command);
    send({
      type: 'execStarted',
      command,
      outcome: outcome.ok ? { ...outcome, command: plain(outcome.command) } : outcome,
    });
  }

  /** The command of `startExec` with that number, until it has ended. */
  session(command: number): Session | undefined {
    return this.#sessions.get(command);
  }

  /** @param isBehind the agent does not take what it is sent */
  holdOutput(isBehind: boolean): void {
    for (const { running, isHeld } of this.#sessions.values()) running?.streams.holdOutput(isBehind || isHeld);
  }

  /** The agent is gone: nobody wants its commands any more. */
  end(): void {
    this.#agentGone.abort();
    this.#agentGone = new AbortController();
    for (const command of this.#commands.values()) command.abort();
    for (const { running } of this.#sessions.values()) running?.kill();
    // The next agent counts its commands anew.
    this.#commands.clear();
    this.#sessions.clear();
  }
}
