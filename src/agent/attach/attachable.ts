import type { Alarm, Clock } from '../../clock.ts';
import type { OutputStream, ProcessStreams, TerminalSize } from '../../runtime/runtime.ts';
import type { AgentMessage, AttachStream, ClientMessage, Frame } from './frames.ts';

/** Somebody who sees the output of a container, and may type. */
export interface AttachedClient {
  send(frame: Frame<AgentMessage>): void;
  /** It has not taken yet what it was sent. */
  readonly isBehind: boolean;
  /** Nothing more will be sent. */
  end(): void;
}

export interface AttachableOptions {
  readonly clock: Clock;
  /** Somebody is on the way who wants to see it from its first word: what it writes before is kept for the first. */
  readonly keepsEarly: boolean;
  /** The input ends when the first client that had it is gone. */
  readonly stdinOnce: boolean;
}

/** What a container may write before anybody is attached, and how long it waits then for a client to come. */
const EARLY_BYTES_MAX = 1024 * 1024;
const EARLY_WAIT_MS = 2000;

const SIZE_MAX = 65_535;

/**
 * The streams of one running container instance, and those who are attached to it. A client that is slow makes the
 * container wait, as a slow terminal does.
 */
export class Attachable {
  readonly #options: AttachableOptions;
  readonly #clients = new Set<AttachedClient>();
  #streams: ProcessStreams | undefined;
  /** What was written before the first client came; undefined since then, and where it is not kept. */
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
    if (this.#early !== undefined) this.#keep({ kind, chunk });
    else if (this.#clients.size === 0) return;
    for (const client of this.#clients) client.send({ kind, chunk });
    this.#holdOrLetGo();
  }

  /** Answers false when there is nothing to attach to: it has not started, or has ended and somebody has seen that. */
  attach(client: AttachedClient): boolean {
    if (this.#streams === undefined || (this.#exitCode !== undefined && this.#early === undefined)) return false;
    client.send({ kind: 'message', message: { type: 'attached', hasTerminal: this.hasTerminal } });
    for (const frame of this.#early ?? []) client.send(frame);
    this.#early = undefined;
    this.#patience?.cancel();
    if (this.#exitCode === undefined) this.#clients.add(client);
    else sayFarewell(client, this.#exitCode);
    this.#holdOrLetGo();
    return true;
  }

  /** Takes what a client sends. Resolves when it may send more. */
  async take(frame: Frame<ClientMessage>, client: AttachedClient): Promise<void> {
    if (frame.kind === 'stdin') await this.#streams?.input?.write(frame.chunk);
    if (frame.kind !== 'message') return;
    if (frame.message.type === 'stdinEnd') this.#inputEnded(client);
    if (frame.message.type === 'resize') resizeTerminal(this.#streams, frame.message);
  }

  /** A client has taken what it was sent. */
  caughtUp(): void {
    this.#holdOrLetGo();
  }

  detach(client: AttachedClient, hadInput: boolean): void {
    if (!this.#clients.delete(client)) return;
    if (hadInput && this.#options.stdinOnce && !this.hasTerminal) this.#streams?.input?.end();
    this.#holdOrLetGo();
  }

  /** Answers whether a client that comes now still gets everything: nobody has been there, and nothing is forgotten. */
  exited(exitCode: number): boolean {
    this.#patience?.cancel();
    this.#exitCode = exitCode;
    for (const client of this.#clients) sayFarewell(client, exitCode);
    this.#clients.clear();
    return this.#early !== undefined && !this.#isImpatient;
  }

  get hasTerminal(): boolean {
    return this.#streams?.terminal !== undefined;
  }

  /**
   * A client has nothing more to type. Unless it was the only one ever to type, the container may go on reading, and
   * that client leaves. Source: containerd/internal/cri/io/container_io.go Attach.
   */
  #inputEnded(client: AttachedClient): void {
    const { stdinOnce, keepsEarly } = this.#options;
    if (this.hasTerminal ? keepsEarly : stdinOnce) return this.#streams?.input?.end();
    if (!this.#clients.has(client)) return;
    client.send({ kind: 'message', message: { type: 'detached' } });
    client.end();
  }

  #keep(frame: { readonly kind: OutputStream; readonly chunk: Buffer }): void {
    const early = this.#early ?? [];
    early.push(frame);
    this.#earlyBytes += frame.chunk.length;
    if (this.#earlyBytes <= EARLY_BYTES_MAX) return;
    const { clock } = this.#options;
    this.#patience ??= clock.wakeAt(clock.now().monotonicMs + EARLY_WAIT_MS, () => {
      this.#isImpatient = true;
      this.#holdOrLetGo();
    });
    // Nobody came: the log has it all.
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

/** Sizes come from outside. */
export function resizeTerminal(streams: ProcessStreams | undefined, { columns, rows }: TerminalSize): void {
  const isSize = (number: number): boolean => Number.isInteger(number) && number > 0 && number <= SIZE_MAX;
  if (isSize(columns) && isSize(rows)) streams?.terminal?.resize({ columns, rows });
}

function sayFarewell(client: AttachedClient, exitCode: number): void {
  client.send({ kind: 'message', message: { type: 'exit', exitCode } });
  client.end();
}
