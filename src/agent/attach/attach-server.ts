import { chmodSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { PodrunError } from '../../api/errors.ts';
import type { Container } from '../../api/generated/types.ts';
import type { StoredPod } from '../../api/objects.ts';
import type { Alarm, Clock } from '../../clock.ts';
import type { OutputStream, RunningContainer } from '../../runtime/runtime.ts';
import type { InstanceRef } from '../container-effects.ts';
import { Attachable, type AttachedClient } from './attachable.ts';
import { type ClientMessage, encodeFrame, type Frame, FrameReader } from './frames.ts';
import { type SocketAddress, socketAddress } from './socket-address.ts';

export interface AttachServerOptions {
  readonly clock: Clock;
  /** The socket of a Pod, in the Pod's folder. */
  readonly socketOf: (pod: StoredPod) => string;
  readonly onTrouble: (error: PodrunError) => void;
}

/** A Pod whose containers can be attached to. */
interface PodSocket {
  readonly server: Server;
  readonly address: SocketAddress;
  readonly connections: Set<Socket>;
}

/** How long clients get to take the last output when a Pod is over. */
const FAREWELL_MS = 2000;

/** How long a container that has ended is kept for its first client. */
const KEPT_MS = 5000;

/**
 * Lets other processes of the user attach to containers: for each Pod a socket in its folder, which nobody else may
 * enter, opened when its first container starts that somebody may want to attach to.
 */
export class AttachServer {
  readonly #options: AttachServerOptions;
  readonly #pods = new Map<string, PodSocket>();
  /** By ID of the instance, which begins with the uid of the Pod and the name of the container. */
  readonly #attachables = new Map<string, Attachable>();
  /** Instances that have ended, until they are forgotten. */
  readonly #kept = new Map<string, Alarm>();

  constructor(options: AttachServerOptions) {
    this.#options = options;
  }

  /** A container is about to start. Where no socket can be opened, it starts all the same. */
  async expect(pod: StoredPod, container: Container, { id }: InstanceRef): Promise<void> {
    const { clock, onTrouble } = this.#options;
    this.#attachables.set(id, new Attachable({ clock, stdinOnce: container.stdinOnce ?? false }));
    if (this.#pods.has(pod.metadata.uid)) return;
    try {
      await this.#listen(pod);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      onTrouble(new PodrunError(`nobody can attach to containers of pod "${pod.metadata.name}": ${why}`));
    }
  }

  started({ id }: InstanceRef, { streams }: RunningContainer): void {
    this.#attachables.get(id)?.started(streams);
  }

  output({ id }: InstanceRef, stream: OutputStream, chunk: Buffer): void {
    this.#attachables.get(id)?.output(stream, chunk);
  }

  hasTerminal({ id }: InstanceRef): boolean {
    return this.#attachables.get(id)?.hasTerminal ?? false;
  }

  /** What was short is kept for a moment: who has added the container may be on the way. */
  exited({ id }: InstanceRef, exitCode: number): void {
    if (this.#attachables.get(id)?.exited(exitCode) !== true) return void this.#attachables.delete(id);
    const { clock } = this.#options;
    this.#kept.set(
      id,
      clock.wakeAt(clock.now().monotonicMs + KEPT_MS, () => this.#forget(id)),
    );
  }

  /** The Pod is over. Resolves when everybody has taken what was sent, or has had time to. */
  async close({ metadata: { uid } }: StoredPod): Promise<void> {
    const pod = this.#pods.get(uid);
    if (pod === undefined) return;
    this.#pods.delete(uid);
    for (const id of this.#kept.keys()) if (id.startsWith(`${uid}/`)) this.#forget(id);
    const { server, address, connections } = pod;
    const { clock } = this.#options;
    const alarm = clock.wakeAt(clock.now().monotonicMs + FAREWELL_MS, () => {
      for (const socket of connections) socket.destroy();
    });
    // Removes the file, before it lets go of the folder.
    const closed = new Promise<void>((resolve) => {
      server.close(() => resolve());
    });
    address.release();
    for (const socket of connections) socket.end();
    await closed;
    alarm.cancel();
  }

  #forget(id: string): void {
    this.#kept.get(id)?.cancel();
    this.#kept.delete(id);
    this.#attachables.delete(id);
  }

  async #listen(pod: StoredPod): Promise<void> {
    const address = socketAddress(this.#options.socketOf(pod));
    const connections = new Set<Socket>();
    const server = createServer((socket) => {
      connections.add(socket);
      socket.once('close', () => connections.delete(socket));
      this.#serve(pod.metadata.uid, socket);
    });
    try {
      rmSync(address.address, { force: true });
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject);
        server.listen(address.address, resolve);
      });
      chmodSync(address.address, 0o600);
    } catch (error) {
      address.release();
      throw error;
    }
    this.#pods.set(pod.metadata.uid, { server, address, connections });
  }

  #serve(uid: string, socket: Socket): void {
    const reader = new FrameReader<ClientMessage>();
    const client = clientOf(socket);
    let attached: { readonly to: Attachable; readonly hasInput: boolean } | undefined;
    const take = async (frame: Frame<ClientMessage>): Promise<void> => {
      if (attached !== undefined) return attached.to.take(frame);
      if (frame.kind !== 'message' || frame.message.type !== 'attach') return void socket.destroy();
      const { container, stdin } = frame.message;
      const [, found] = [...this.#attachables].findLast(([id]) => id.startsWith(`${uid}/${container}/`)) ?? [];
      if (found?.attach(client)) attached = { to: found, hasInput: stdin };
      else {
        client.send({ kind: 'message', message: { type: 'refused' } });
        client.end();
      }
    };
    let taken = Promise.resolve();
    socket.on('data', (piece) => {
      // A program that does not read must not fill our memory.
      socket.pause();
      taken = taken
        .then(async () => {
          for (const frame of reader.read(piece)) await take(frame);
          socket.resume();
        })
        // Who does not speak our language, or asks for what cannot be.
        .catch(() => void socket.destroy());
    });
    socket.on('drain', () => attached?.to.caughtUp());
    socket.on('error', () => undefined);
    socket.once('close', () => attached?.to.detach(client, attached.hasInput));
  }
}

function clientOf(socket: Socket): AttachedClient {
  return {
    send: (frame) => {
      if (socket.writable) socket.write(encodeFrame(frame));
    },
    get isBehind() {
      return socket.writableNeedDrain;
    },
    end: () => void socket.end(),
  };
}
