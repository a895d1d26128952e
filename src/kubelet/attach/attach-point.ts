import type { Container, StoredPod } from '../../api/index.ts';
import type { OutputStream } from '../../runtime/index.ts';
import type { LiveInstance } from '../base/instance.ts';
import type { InstanceRef } from '../../store/index.ts';
import { AttachServer, type AttachServerOptions } from './attach-server.ts';

/**
 * The delay before the server opens. A container that has ended by then needs none; a client that comes earlier retries
 * for PATIENCE_MS of agent-connection.ts.
 */
const BRIEF_MS = 20;

/** Opens the server for clients shortly after the first start, so that no start waits for it. */
export class AttachPoint {
  readonly #options: AttachServerOptions;
  #server: AttachServer | undefined;

  constructor(options: AttachServerOptions) {
    this.#options = options;
  }

  /** Prepares a container for its first client; see AttachServer. */
  async expect(pod: StoredPod, container: Container, instance: InstanceRef): Promise<void> {
    await this.#opened().expect(pod, container, instance);
  }

  started(pod: StoredPod, container: Container, live: LiveInstance): void {
    if (this.#server !== undefined) return this.#server.started(pod, container, live);
    const { clock } = this.#options;
    const open = (): void => this.#opened().started(pod, container, live);
    clock.wakeAt(clock.now().monotonicMs + BRIEF_MS, open);
  }

  output(instance: InstanceRef, stream: OutputStream, chunk: Buffer): void {
    this.#server?.output(instance, stream, chunk);
  }

  hasTerminal(instance: InstanceRef): boolean {
    return this.#server?.hasTerminal(instance) ?? false;
  }

  exited(instance: InstanceRef, exitCode: number): void {
    this.#server?.exited(instance, exitCode);
  }

  async close(pod: StoredPod): Promise<void> {
    await this.#server?.close(pod);
  }

  #opened(): AttachServer {
    return (this.#server ??= new AttachServer(this.#options));
  }
}
