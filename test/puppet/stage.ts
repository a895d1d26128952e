import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, type TestContext } from 'vitest';

const PROGRAM = fileURLToPath(new URL('puppet.mjs', import.meta.url));

interface Greeting {
  readonly name: string;
  readonly pid: number;
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

/** A message of a puppet behind its greeting. */
interface Report {
  readonly signal?: string;
  readonly catching?: string;
  /** The address of the server, or the code of the error. */
  readonly listening?: AddressInfo | string;
}

/** A queue of items and of promises that wait for them. Either may come first. */
class Mailbox<T> {
  readonly #arrived: T[] = [];
  readonly #waiting: Array<(item: T) => void> = [];

  put(item: T): void {
    const waiter = this.#waiting.shift();
    if (waiter === undefined) this.#arrived.push(item);
    else waiter(item);
  }

  take(): Promise<T> {
    const item = this.#arrived.shift();
    return item === undefined ? new Promise((resolve) => this.#waiting.push(resolve)) : Promise.resolve(item);
  }
}

/** A running puppet process. */
export class Puppet {
  readonly pid: number;
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Resolves when the process is gone. */
  readonly gone: Promise<void>;
  readonly #socket: Socket;
  readonly #signals = new Mailbox<string>();
  readonly #catching = new Mailbox<string>();
  readonly #listening = new Mailbox<AddressInfo | string>();

  constructor(socket: Socket, { pid, env, cwd }: Greeting) {
    this.#socket = socket;
    this.pid = pid;
    this.env = env;
    this.cwd = cwd;
    this.gone = new Promise((resolve) => socket.once('close', () => resolve()));
  }

  exit(code: number): void {
    this.#send('exit', code);
  }

  print(text: string): void {
    this.#send('print', text);
  }

  /** Makes the puppet survive a signal and report it. Resolves when the handler is set. */
  async catch(signal: NodeJS.Signals): Promise<void> {
    this.#send('catch', signal);
    await this.#catching.take();
  }

  /**
   * Starts an HTTP server in the puppet, which answers its name. Resolves with the address, or with the code of the
   * error.
   */
  listen(where: { readonly port: number; readonly host?: string | undefined }): Promise<AddressInfo | string> {
    this.#send('listen', where);
    return this.#listening.take();
  }

  /** Resolves with the next caught signal. */
  received(): Promise<string> {
    return this.#signals.take();
  }

  told({ signal, catching, listening }: Report): void {
    if (signal !== undefined) this.#signals.put(signal);
    if (catching !== undefined) this.#catching.put(catching);
    if (listening !== undefined) this.#listening.put(listening);
  }

  #send(action: string, argument: unknown): void {
    this.#socket.write(`${JSON.stringify({ action, argument })}\n`);
  }
}

/** A new stage for each test of the file. */
export function stageForEach(): Stage {
  const stage = new Stage();
  beforeEach(() => stage.open());
  afterEach(() => stage.close());
  return stage;
}

/** A stage for one test. Tests that mostly wait can run at the same time. */
export async function stageFor({ onTestFinished }: Pick<TestContext, 'onTestFinished'>): Promise<Stage> {
  const stage = new Stage();
  await stage.open();
  onTestFinished(() => stage.close());
  return stage;
}

/** The server that the puppets of one test connect to. */
export class Stage {
  #folder = '';
  #server: Server | undefined;
  readonly #sockets = new Set<Socket>();
  readonly #entrances = new Map<string, Mailbox<Puppet>>();

  async open(): Promise<void> {
    this.#folder = mkdtempSync(path.join(tmpdir(), 'podrun-stage-'));
    const server = createServer((socket) => this.#connected(socket));
    this.#server = server;
    await new Promise<void>((resolve) => server.listen(this.#socketPath, resolve));
  }

  /** The `command` of a container that runs the puppet `name`. */
  command(name: string): string[] {
    return [process.execPath, PROGRAM, this.#socketPath, name];
  }

  /** Resolves with the next puppet of this name. Each puppet is answered once. */
  puppet(name: string): Promise<Puppet> {
    return this.#entrance(name).take();
  }

  /** Ends every remaining puppet. */
  close(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#sockets.clear();
    this.#entrances.clear();
    this.#server?.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  get #socketPath(): string {
    return path.join(this.#folder, 'stage.sock');
  }

  #entrance(name: string): Mailbox<Puppet> {
    const entrance = this.#entrances.get(name) ?? new Mailbox<Puppet>();
    this.#entrances.set(name, entrance);
    return entrance;
  }

  #connected(socket: Socket): void {
    let puppet: Puppet | undefined;
    this.#sockets.add(socket);
    // A killed puppet resets its connection: `close` follows.
    socket.on('error', () => this.#sockets.delete(socket));
    createInterface({ input: socket }).on('line', (line) => {
      const message = JSON.parse(line) as Greeting & Report;
      if (puppet !== undefined) return puppet.told(message);
      puppet = new Puppet(socket, message);
      return this.#entrance(message.name).put(puppet);
    });
  }
}
