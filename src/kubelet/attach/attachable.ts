import type { Alarm, Clock } from '../../clock.ts';
import type { OutputStream, ProcessStreams, TerminalSize } from '../../runtime/index.ts';
import type { AgentMessage, AttachStream, ClientMessage, AttachFrame } from './frames.ts';

/** A client that sees the output of a container, and may type. */
export interface AttachedClient {
  send(frame: AttachFrame<AgentMessage>): void;
  /** True while the client has not read what was sent. */
  readonly isBehind: boolean;
  /** Closes the connection after the last frame. */
  end(): void;
}

export interface AttachableOptions {
  readonly clock: Clock;
  /** True when output before the first client is kept for that client. */
  readonly keepsEarly: boolean;
  /** True when stdin ends with the first client that had it. */
  readonly stdinOnce: boolean;
}

/**
 * The output that is kept before the first client, and how long the container waits for that client when it is full.
 */
const EARLY_BYTES_MAX = 1024 * 1024;
const EARLY_WAIT_MS = 2000;

const SIZE_MAX = 65_535;

/**
 * The streams of one running instance, and its attached clients. A slow client blocks the container, as a slow terminal
 * does.
 */
export class Attachable {
  readonly #options: AttachableOptions;
  readonly #clients = new Set<AttachedClient>();
  #streams: ProcessStreams | undefined;
  /** The output before the first client. Undefined after that client, or when it is not kept. */
  #early: Array<{ readonly kind: AttachStream; readonly chunk: Buffer }> | undefined;
  #earlyBytes = 0;
  #exitCode: number | undefined;
  #patience: Alarm | undefined;
  #isImpatient = false;
  #isShown = true;

  constructor(options: AttachableOptions) {
    this.#options = options;
    this.#early = options.keepsEarly ? [] : undefined;
  }

  started(streams: ProcessStreams | undefined): void {
    this.#streams = streams;
    this.#holdOrLetGo();
  }

  output(kind: OutputStream, chunk: Buffer): void {
    if (this.#early !== undefined) this.#keep(kind, chunk);
    else if (this.#clients.size === 0) return;
    for (const client of this.#clients) client.send({ kind, chunk });
    this.#holdOrLetGo();
  }

  /** Attaches a client. Returns false when the container has not started, or has ended with its output delivered. */
  attach(client: AttachedClient): boolean {
    if (this.#streams === undefined || (this.#exitCode !== undefined && this.#early === undefined)) return false;
    client.send({ kind: 'message', message: { type: 'attached', hasTerminal: this.hasTerminal } });
    for (const frame of this.#early ?? []) client.send(frame);
    this.#early = undefined;
    this.#patience?.cancel();
    if (this.#exitCode === undefined) this.#clients.add(client);
    else sendExit(client, this.#exitCode);
    this.#holdOrLetGo();
    return true;
  }

  /** Takes a frame of the client. Resolves when the client may send more. */
  async take(frame: AttachFrame<ClientMessage>, client: AttachedClient): Promise<void> {
    if (frame.kind === 'stdin') await this.#streams?.input?.write(frame.chunk);
    if (frame.kind !== 'message') return;
    if (frame.message.type === 'stdinEnd') this.#inputEnded(client);
    if (frame.message.type === 'resize') resizeTerminal(this.#streams, frame.message);
  }

  /** Resumes when a client has read what was sent. */
  caughtUp(): void {
    this.#holdOrLetGo();
  }

  detach(client: AttachedClient, hadInput: boolean): void {
    if (!this.#clients.delete(client)) return;
    if (hadInput && this.#options.stdinOnce && !this.hasTerminal) this.#streams?.input?.end();
    this.#holdOrLetGo();
  }

  /** Sends the exit code to the clients. Returns true when a later client can still get all of the output. */
  exited(exitCode: number): boolean {
    this.#patience?.cancel();
    this.#exitCode = exitCode;
    for (const client of this.#clients) sendExit(client, exitCode);
    this.#clients.clear();
    return this.#early !== undefined && !this.#isImpatient;
  }

  get hasTerminal(): boolean {
    return this.#streams?.terminal !== undefined;
  }

  /**
   * Ends a client's input. The container's stdin ends only if this client is the only one ever to type; otherwise the
   * client is detached.
   * Source: containerd/internal/cri/io/container_io.go Attach.
   */
  #inputEnded(client: AttachedClient): void {
    const { stdinOnce, keepsEarly } = this.#options;
    if (this.hasTerminal ? keepsEarly : stdinOnce) return this.#streams?.input?.end();
    if (!this.#clients.has(client)) return;
    client.send({ kind: 'message', message: { type: 'detached' } });
    client.end();
  }

  #keep(kind: OutputStream, chunk: Buffer): void {
    const early = this.#early ?? [];
    early.push({ kind, chunk: Buffer.from(chunk) });
    this.#earlyBytes += chunk.length;
    if (this.#earlyBytes <= EARLY_BYTES_MAX) return;
    const { clock } = this.#options;
    this.#patience ??= clock.wakeAt(clock.now().monotonicMs + EARLY_WAIT_MS, () => {
      this.#isImpatient = true;
      this.#holdOrLetGo();
    });
    // No client came: the log has this output.
    while (this.#isImpatient && this.#earlyBytes > EARLY_BYTES_MAX)
      this.#earlyBytes -= early.shift()?.chunk.length ?? 0;
  }

  #holdOrLetGo(): void {
    const waitsForFirst = this.#early !== undefined && this.#earlyBytes > EARLY_BYTES_MAX && !this.#isImpatient;
    const isShown = this.#early !== undefined || this.#clients.size > 0;
    if (this.#streams !== undefined && isShown !== this.#isShown) {
      this.#isShown = isShown;
      this.#streams.showOutput?.(isShown);
    }
    this.#streams?.holdOutput(waitsForFirst || [...this.#clients].some(({ isBehind }) => isBehind));
  }
}

/** Resizes the terminal. Checks the size, which comes from a client. */
export function resizeTerminal(streams: ProcessStreams | undefined, { columns, rows }: TerminalSize): void {
  const isSize = (number: number): boolean => Number.isInteger(number) && number > 0 && number <= SIZE_MAX;
  if (isSize(columns) && isSize(rows)) streams?.terminal?.resize({ columns, rows });
}

function sendExit(client: AttachedClient, exitCode: number): void {
  client.send({ kind: 'message', message: { type: 'exit', exitCode } });
  client.end();
}
