import type { ExecLaunch, ExecOutcome, ExecRequest, ExecStart, OutputStream } from '../../../runtime/index.ts';
import type { KeeperConnection } from './keeper-connection.ts';
import { commandProxy } from './process-proxies.ts';
import type { FromKeeper } from './protocol.ts';

/** An interactive command. */
interface InteractiveCallbacks extends Pick<ExecLaunch, 'onOutput' | 'onExit'> {
  readonly started: (outcome: ExecStart) => void;
}

interface CommandCallbacks {
  readonly onOutput: ExecRequest['onOutput'];
  readonly done: (outcome: ExecOutcome) => void;
}

/** The error of starts after the end of the keeper. */
export const KEEPER_GONE = 'the keeper process of the containers has ended';

/** The commands that a keeper runs in its containers for this process, as Runtime describes them. */
export class KeeperCommands {
  readonly #connection: KeeperConnection;
  readonly #commands = new Map<number, CommandCallbacks>();
  readonly #sessions = new Map<number, InteractiveCallbacks>();

  constructor(connection: KeeperConnection) {
    this.#connection = connection;
  }

  /** Runs a command; see Runtime. */
  async exec({ onOutput, signal, ...request }: ExecRequest): Promise<ExecOutcome> {
    if (signal?.aborted === true) return { type: 'aborted' };
    if (!this.#connection.isUp) return { type: 'failedToStart', error: KEEPER_GONE };
    const command = this.#connection.nextNumber();
    const abort = (): void => this.#connection.send({ type: 'abort', command });
    signal?.addEventListener('abort', abort, { once: true });
    const outcome = await new Promise<ExecOutcome>((resolve) => {
      this.#commands.set(command, { onOutput, done: resolve });
      this.#connection.send({ type: 'exec', command, request, wantsOutput: onOutput !== undefined });
    });
    signal?.removeEventListener('abort', abort);
    this.#commands.delete(command);
    return outcome;
  }

  /** Starts an interactive command; see Runtime. */
  async startExec({ onOutput, onExit, ...launch }: ExecLaunch): Promise<ExecStart> {
    if (!this.#connection.isUp) return { ok: false, error: KEEPER_GONE };
    const command = this.#connection.nextNumber();
    return new Promise((resolve) => {
      this.#sessions.set(command, { onOutput, onExit, started: resolve });
      this.#connection.send({ type: 'startExec', command, launch });
    });
  }

  /** Passes on how a command of `exec` has ended. */
  ended({ command, outcome }: Extract<FromKeeper, { type: 'execOutcome' }>): void {
    this.#commands.get(command)?.done(outcome);
  }

  /** Passes on whether a command of `startExec` runs. */
  started({ command, outcome }: Extract<FromKeeper, { type: 'execStarted' }>): void {
    const session = this.#sessions.get(command);
    if (!outcome.ok) this.#sessions.delete(command);
    session?.started(
      outcome.ok ? { ...outcome, command: commandProxy(this.#connection, command, outcome.command) } : outcome,
    );
  }

  /** Passes on the exit of a command of `startExec`. */
  exited(command: number, exitCode: number): void {
    const session = this.#sessions.get(command);
    this.#sessions.delete(command);
    session?.onExit(exitCode);
  }

  /** Passes on output of a command. */
  output(command: number, stream: OutputStream, chunk: Buffer): void {
    (this.#commands.get(command) ?? this.#sessions.get(command))?.onOutput?.(stream, chunk);
  }

  /**
   * Ends all commands: the keeper is gone.
   * @param exitCode the exit code of interactive commands
   */
  lost(exitCode: number): void {
    for (const { done } of this.#commands.values()) done({ type: 'aborted' });
    for (const { started } of this.#sessions.values()) started({ ok: false, error: KEEPER_GONE });
    for (const command of this.#sessions.keys()) this.exited(command, exitCode);
  }
}
