import type { ExecStart, Runtime } from '../../runtime/runtime.ts';
import { commandIn } from '../command-in.ts';
import type { LiveInstance } from '../instance.ts';
import { type AttachedClient, resizeTerminal } from './attachable.ts';
import type { AgentMessage, ClientMessage, Frame, OpeningMessage } from './frames.ts';

/** What container runtimes set for a command in a terminal. */
const TERM = 'xterm';

export type ExecOrder = Extract<OpeningMessage, { readonly type: 'exec' }>;

/**
 * A command in a container, and the client that it belongs to. Whichever of the two is gone, so is the other; and both
 * when the container has ended.
 */
export class ExecSession {
  /** Settles when the client was told how it ended. */
  readonly said: Promise<void>;
  #onSaid: () => void = () => undefined;
  readonly #client: AttachedClient;
  #started: Extract<ExecStart, { ok: true }>['command'] | undefined;
  #isOver = false;

  constructor(client: AttachedClient) {
    this.#client = client;
    this.said = new Promise((resolve) => (this.#onSaid = resolve));
  }

  /** Resolves when the command runs, or the client was told why not. */
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
        this.#sayLast({ type: 'exit', exitCode });
      },
    });
    if (!outcome.ok) return this.#sayLast({ type: 'failed', error: outcome.error });
    this.#started = outcome.command;
    live.ended.signal.addEventListener('abort', kill);
    // Either may have ended meanwhile; nobody would look for a command in a container that is gone.
    if (this.#isOver || live.ended.signal.aborted) kill();
    const hasTerminal = outcome.command.streams.terminal !== undefined;
    this.#client.send({ kind: 'message', message: { type: 'attached', hasTerminal, notice: outcome.notice } });
  }

  /** Takes what the client sends. Resolves when it may send more. */
  async take(frame: Frame<ClientMessage>): Promise<void> {
    const streams = this.#started?.streams;
    if (frame.kind === 'stdin') await streams?.input?.write(frame.chunk);
    if (frame.kind !== 'message') return;
    if (frame.message.type === 'stdinEnd') streams?.input?.end();
    if (frame.message.type === 'resize') resizeTerminal(streams, frame.message);
  }

  /** The client has taken what it was sent. */
  caughtUp(): void {
    this.#started?.streams.holdOutput(this.#client.isBehind);
  }

  /** The client is gone. */
  close(): void {
    if (!this.#isOver) this.#started?.kill();
    this.#isOver = true;
  }

  #sayLast(message: AgentMessage): void {
    this.#client.send({ kind: 'message', message });
    this.#client.end();
    this.#onSaid();
  }
}
