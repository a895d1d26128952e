import type { Alarm, Clock } from '../../clock.ts';
import type { OutputStream, ProcessStreams } from '../../runtime/runtime.ts';
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
  /** The input ends when the first client that had it is gone. */
  readonly stdinOnce: boolean;
}

/** What a container may write before anybody is attached, and how long it waits then for a client to come. */
const EARLY_BYTES_MAX = 1024 * 1024;
const EARLY_WAIT_MS = 2000;

const SIZE_MAX = 65_535;

/**
 * The streams of one running container instance, and those who are attached to it. The first client gets what was
 * written before it came. A client that is slow makes the container wait, as a slow terminal does.
 */
export class Attachable {
  readonly #options: AttachableOptions;
  readonly #clients = new Set<AttachedClient>();
  #streams: ProcessStreams | undefined;
  /** What was written before the first client came; undefined since then. */
  #early: Array<{ readonly kind: AttachStream; readonly chunk: Buffer }> | undefined = [];
  #earlyBytes = 0;
  #exitCode: number | undefined;
  #patience: Alarm | undefined;
  #isImpatient = false;

  constructor(options: AttachableOptions) {
    this.#options = options;
  }

  started(streams: ProcessStreams | undefined): void {
    this.#streams = streams;
    this.#holdOrLetGo();
  }

  output(kind: OutputStream, chunk: Buffer): void {
    if (this.#early !== undefined) this.#keep({ kind, chunk });
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
  async take(frame: Frame<ClientMessage>): Promise<void> {
    if (frame.kind === 'stdin') await this.#streams?.input?.write(frame.chunk);
    if (frame.kind !== 'message') return;
    if (frame.message.type === 'stdinEnd' && this.#endsWithClient) this.#streams?.input?.end();
    if (frame.message.type === 'resize') this.#resize(frame.message);
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

  /** Without a terminal, other clients may go on typing where one has come to its end. */
  get #endsWithClient(): boolean {
    return this.hasTerminal || this.#options.stdinOnce;
  }

  #resize({ columns, rows }: { readonly columns: number; readonly rows: number }): void {
    const isSize = (number: number): boolean => Number.isInteger(number) && number > 0 && number <= SIZE_MAX;
    if (isSize(columns) && isSize(rows)) this.#streams?.terminal?.resize({ columns, rows });
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
    this.#streams?.holdOutput(waitsForFirst || [...this.#clients].some(({ isBehind }) => isBehind));
  }
}

function sayFarewell(client: AttachedClient, exitCode: number): void {
  client.send({ kind: 'message', message: { type: 'exit', exitCode } });
  client.end();
}
