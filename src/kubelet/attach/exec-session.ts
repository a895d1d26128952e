import type { ExecStart, Runtime } from '../../runtime/index.ts';
import { commandIn } from '../hooks/hooks.ts';
import type { LiveInstance } from '../base/instance.ts';
import { type AttachedClient, resizeTerminal } from './attachable.ts';
import type { AgentMessage, ClientMessage, AttachFrame, OpeningMessage } from './frames.ts';

/** The value that container runtimes set for a command in a terminal. */
const TERM = 'xterm';

export type ExecOrder = Extract<OpeningMessage, { readonly type: 'exec' }>;

/** A command in a container, with its client. The end of the command, the client or the container ends the session. */
export class ExecSession {
  /** Settles when the client was sent the outcome. */
  readonly outcomeSent: Promise<void>;
  #onOutcomeSent: () => void = () => undefined;
  readonly #client: AttachedClient;
  #started: Extract<ExecStart, { ok: true }>['command'] | undefined;
  #isOver = false;

  constructor(client: AttachedClient) {
    this.#client = client;
    this.outcomeSent = new Promise((resolve) => (this.#onOutcomeSent = resolve));
  }

  /** Starts the command. Resolves when it runs, or when the client was sent the reason why not. */
  async start(order: ExecOrder, live: LiveInstance, runtime: Runtime): Promise<void> {
    const { stdin, tty, argv } = order;
    const command = commandIn(live, argv);
    const kill = (): void => this.#started?.kill();
    const outcome = await runtime.startExec({
      ...command,
      env: tty ? { ...command.env, TERM } : command.env,
      stdin,
      tty,
      onOutput: (kind, chunk) => {
        this.#client.send({ kind, chunk });
        this.caughtUp();
      },
      onExit: (exitCode) => {
        live.ended.signal.removeEventListener('abort', kill);
        this.#isOver = true;
        this.#sendOutcome({ type: 'exit', exitCode });
      },
    });
    if (!outcome.ok) return this.#sendOutcome({ type: 'failed', error: outcome.error });
    this.#started = outcome.command;
    // The command, its client or its container may have ended during the start.
    if (this.#isOver || live.ended.signal.aborted) kill();
    else live.ended.signal.addEventListener('abort', kill);
    const hasTerminal = outcome.command.streams.terminal !== undefined;
    this.#client.send({ kind: 'message', message: { type: 'attached', hasTerminal, notice: outcome.notice } });
  }

  /** Takes a frame of the client. Resolves when the client may send more. */
  async take(frame: AttachFrame<ClientMessage>): Promise<void> {
    const streams = this.#started?.streams;
    if (frame.kind === 'stdin') await streams?.input?.write(frame.chunk);
    if (frame.kind !== 'message') return;
    if (frame.message.type === 'stdinEnd') streams?.input?.end();
    if (frame.message.type === 'resize') resizeTerminal(streams, frame.message);
  }

  /** Resumes when the client has read what was sent. */
  caughtUp(): void {
    this.#started?.streams.holdOutput(this.#client.isBehind);
  }

  /** Kills the command of a client that is gone. */
  close(): void {
    if (!this.#isOver) this.#started?.kill();
    this.#isOver = true;
  }

  #sendOutcome(message: AgentMessage): void {
    this.#client.send({ kind: 'message', message });
    this.#client.end();
    this.#onOutcomeSent();
  }
}
