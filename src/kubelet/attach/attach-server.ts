import { guarded, inBackground } from '../../defects.ts';
import { hostPathOf } from '../../lifecycle/index.ts';
import { chmodSync, existsSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import path from 'node:path';
import { type Container, errorMessage, PodrunError, type StoredPod } from '../../api/index.ts';
import type { Alarm, Clock } from '../../clock.ts';
import type { OutputStream, Runtime } from '../../runtime/index.ts';
import type { LiveInstance } from '../base/instance.ts';
import type { InstanceRef } from '../../store/index.ts';
import { Attachable, type AttachedClient } from './attachable.ts';
import { ExecSession } from './exec-session.ts';
import {
  type ClientMessage,
  encodeAttachFrame,
  type AttachFrame,
  AttachFrameReader,
  type OpeningMessage,
} from './frames.ts';
import { type SocketAddress, socketAddress } from './socket-address.ts';

export interface AttachServerOptions {
  readonly clock: Clock;
  readonly runtime: Runtime;
  /** The socket of a Pod, in the Pod's folder. */
  readonly socketOf: (pod: StoredPod) => string;
  readonly onTrouble: (error: PodrunError) => void;
}

/** The socket of a Pod, with its connections. */
interface PodSocket {
  readonly server: Server;
  readonly address: SocketAddress;
  readonly connections: Map<Socket, ClientSession | undefined>;
}

/** The container or command of one client. */
interface ClientSession {
  /** Takes a frame. Resolves when the client may send more. */
  take(frame: AttachFrame<ClientMessage>): Promise<void>;
  caughtUp(): void;
  close(): void;
  /** Settles when the last message was sent, after the end of the container. Never rejects. */
  readonly outcomeSent: Promise<void>;
}

/** The time that clients get to read the last output of a Pod. */
const CLOSE_TIMEOUT_MS = 2000;

/** The time that a container is kept after its end for its first client. */
const KEPT_MS = 5000;

/**
 * Lets other processes of the user attach to containers and run commands in them: through one socket for each Pod, in
 * the Pod's folder, which other users may not enter. Opened when the Pod's first container starts.
 */
export class AttachServer {
  readonly #options: AttachServerOptions;
  readonly #pods = new Map<string, PodSocket>();
  /** UIDs of Pods whose sockets are being opened, or could not be. */
  readonly #tried = new Set<string>();
  /** By id of the instance, which begins with the uid of the Pod and the name of the container. */
  readonly #attachables = new Map<string, Attachable>();
  /** The running instances, by id. */
  readonly #live = new Map<string, LiveInstance>();
  /** The alarms that forget instances after their end. */
  readonly #kept = new Map<string, Alarm>();

  constructor(options: AttachServerOptions) {
    this.#options = options;
  }

  /**
   * Prepares a container that a client wants to see from its first byte. Where no socket can be opened, the container
   * starts all the same.
   */
  async expect(pod: StoredPod, container: Container, { id }: InstanceRef): Promise<void> {
    this.#attachables.set(id, this.#attachable(container, true));
    await this.#open(pod);
  }

  /** Registers a container that has started, with or without a waiting client. */
  started(pod: StoredPod, container: Container, live: LiveInstance): void {
    const { id } = live.ref;
    // The container may have ended before the server was open.
    if (live.ended.signal.aborted) return;
    const attachable = this.#attachables.get(id) ?? this.#attachable(container, false);
    this.#attachables.set(id, attachable);
    this.#live.set(id, live);
    attachable.started(live.streams);
    inBackground(this.#open(pod));
  }

  output({ id }: InstanceRef, stream: OutputStream, chunk: Buffer): void {
    this.#attachables.get(id)?.output(stream, chunk);
  }

  hasTerminal({ id }: InstanceRef): boolean {
    return this.#attachables.get(id)?.hasTerminal ?? false;
  }

  /** Keeps a short container for a moment: the client that created it may still be connecting. */
  exited({ id }: InstanceRef, exitCode: number): void {
    this.#live.delete(id);
    if (this.#attachables.get(id)?.exited(exitCode) !== true) return void this.#attachables.delete(id);
    const { clock } = this.#options;
    this.#kept.set(
      id,
      clock.wakeAt(clock.now().monotonicMs + KEPT_MS, () => this.#forget(id)),
    );
  }

  /** Closes the socket of a Pod that has ended. Resolves when all clients have read their output, or had time to. */
  async close({ metadata: { uid } }: StoredPod): Promise<void> {
    const pod = this.#pods.get(uid);
    if (pod === undefined) return;
    this.#pods.delete(uid);
    this.#tried.delete(uid);
    for (const id of this.#kept.keys()) if (id.startsWith(`${uid}/`)) this.#forget(id);
    const { server, address, connections } = pod;
    // The server removes its socket file before the folder's descriptor is closed.
    const closed = new Promise<void>((resolve) => {
      server.close(() => resolve());
    });
    address.release();
    if (connections.size === 0) return;
    const { clock } = this.#options;
    const alarm = clock.wakeAt(clock.now().monotonicMs + CLOSE_TIMEOUT_MS, () => {
      for (const socket of connections.keys()) socket.destroy();
    });
    for (const [socket, session] of connections)
      inBackground((session?.outcomeSent ?? Promise.resolve()).then(() => socket.end()));
    await closed;
    alarm.cancel();
  }

  #forget(id: string): void {
    this.#kept.get(id)?.cancel();
    this.#kept.delete(id);
    this.#attachables.delete(id);
  }

  #attachable({ stdinOnce = false }: Container, keepsEarly: boolean): Attachable {
    return new Attachable({ clock: this.#options.clock, stdinOnce, keepsEarly });
  }

  async #open(pod: StoredPod): Promise<void> {
    const { name, uid } = pod.metadata;
    if (this.#tried.has(uid)) return;
    this.#tried.add(uid);
    try {
      await this.#listen(pod);
    } catch (error) {
      // The Pod was removed by force while its container started: there is nothing to reach.
      if (!existsSync(path.dirname(this.#options.socketOf(pod)))) return;
      const why = errorMessage(error);
      this.#options.onTrouble(
        new PodrunError('Unreachable', `clients cannot reach the containers of pod "${name}": ${why}`),
      );
    }
  }

  async #listen(pod: StoredPod): Promise<void> {
    const address = socketAddress(this.#options.socketOf(pod));
    const connections: PodSocket['connections'] = new Map();
    const server = guarded(createServer());
    server.on('connection', (socket) => {
      connections.set(socket, undefined);
      socket.once('close', () => connections.delete(socket));
      this.#serve(pod.metadata.uid, socket, (session) => connections.set(socket, session));
    });
    // Registered before it listens, so that the end of the Pod closes it in any case.
    this.#pods.set(pod.metadata.uid, { server, address, connections });
    try {
      rmSync(address.address, { force: true });
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject);
        server.listen(address.address, resolve);
      });
      chmodSync(address.address, 0o600);
    } catch (error) {
      this.#pods.delete(pod.metadata.uid);
      address.release();
      throw error;
    }
  }

  #serve(uid: string, socket: Socket, onSession: (session: ClientSession) => void): void {
    const reader = new AttachFrameReader<ClientMessage>();
    const client = clientOf(socket);
    let session: ClientSession | undefined;
    const take = async (frame: AttachFrame<ClientMessage>): Promise<void> => {
      if (session !== undefined) return session.take(frame);
      if (frame.kind !== 'message') return void socket.destroy();
      const { message } = frame;
      if (message.type === 'attach') session = this.#attach(uid, message, client);
      else if (message.type === 'exec') session = await this.#exec(uid, message, client);
      else if (message.type === 'locate') return this.#locate(uid, message, client);
      else return void socket.destroy();
      if (session === undefined) {
        client.send({ kind: 'message', message: { type: 'refused' } });
        client.end();
      } else if (socket.destroyed) session.close();
      else onSession(session);
    };
    let taken = Promise.resolve();
    socket.on('data', (piece) => {
      // Reading pauses while a container does not take its input, so that the input does not fill podrun's memory.
      socket.pause();
      taken = taken
        .then(async () => {
          for (const frame of reader.read(piece)) await take(frame);
          socket.resume();
        })
        // The client sent no valid frame, or a request that failed.
        .catch(() => void socket.destroy());
    });
    socket.on('drain', () => session?.caughtUp());
    socket.on('error', () => undefined);
    socket.once('close', () => session?.close());
  }

  #attach(uid: string, order: Opening<'attach'>, client: AttachedClient): ClientSession | undefined {
    const { container, stdin } = order;
    const [, attachable] = [...this.#attachables].findLast(([id]) => id.startsWith(`${uid}/${container}/`)) ?? [];
    if (attachable?.attach(client) !== true) return undefined;
    return {
      take: (frame) => attachable.take(frame, client),
      caughtUp: () => attachable.caughtUp(),
      close: () => attachable.detach(client, stdin),
      outcomeSent: Promise.resolve(),
    };
  }

  async #exec(uid: string, order: Opening<'exec'>, client: AttachedClient): Promise<ClientSession | undefined> {
    const live = this.#liveIn(uid, order.container);
    if (live === undefined) return undefined;
    const session = new ExecSession(client);
    await session.start(order, live, this.#options.runtime);
    return session;
  }

  #locate(uid: string, { container, path }: Opening<'locate'>, client: AttachedClient): void {
    const live = this.#liveIn(uid, container);
    const located = hostPathOf(path, live?.launch.volumePlaces ?? []);
    client.send({ kind: 'message', message: live ? { type: 'located', path: located } : { type: 'refused' } });
    client.end();
  }

  #liveIn(uid: string, container: string): LiveInstance | undefined {
    return [...this.#live.values()].find(({ ref }) => ref.id.startsWith(`${uid}/${container}/`));
  }
}

type Opening<Type> = Extract<OpeningMessage, { readonly type: Type }>;

function clientOf(socket: Socket): AttachedClient {
  return {
    send: (frame) => {
      if (socket.writable) socket.write(encodeAttachFrame(frame));
    },
    get isBehind() {
      return socket.writableNeedDrain;
    },
    end: () => void socket.end(),
  };
}
