import type { Server, Socket } from 'node:net';
import type { HelperAnswer, HelperRequest } from './helper/protocol.ts';
import { closeHandle, type Handle } from './host-sockets.ts';
import type { HelperChild } from './start-helper.ts';

/** A response of the helper, and the connection or listening socket that came along. */
export interface HelperReply extends HelperAnswer {
  readonly socket: Socket | Server | undefined;
}

/** A request without its ID. */
export type NewRequest = HelperRequest extends infer Each ? (Each extends unknown ? Omit<Each, 'id'> : never) : never;

interface Waiting {
  readonly resolve: (answer: HelperReply) => void;
  readonly reject: (error: unknown) => void;
}

/** The requests to a helper, or to its replacement, without a response so far. */
export class PendingRequests {
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;

  get areNone(): boolean {
    return this.#waiting.size === 0;
  }

  /** The ID for a request. */
  nextId(): number {
    return ++this.#lastId;
  }

  /**
   * Sends a request, with a socket that is closed here. Rejects with the error in the helper's reply, or when the
   * signal is aborted.
   */
  send(
    child: HelperChild,
    request: NewRequest & { readonly id: number },
    { socket, signal }: { readonly socket?: Handle | undefined; readonly signal?: AbortSignal | undefined } = {},
  ): Promise<HelperReply> {
    const { id } = request;
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) return reject(new Error('aborted'));
      const settle = (): void => {
        this.#waiting.delete(id);
        signal?.removeEventListener('abort', onAbort);
      };
      const onAbort = (): void => {
        settle();
        reject(new Error('aborted'));
      };
      signal?.addEventListener('abort', onAbort);
      let kept = socket;
      const letGo = (): void => {
        if (kept !== undefined) closeHandle(kept);
        kept = undefined;
      };
      this.#waiting.set(id, {
        resolve: (answer) => {
          settle();
          resolve(answer);
        },
        // Node calls no callback for a socket that waited behind another one when the helper died.
        reject: (error) => {
          settle();
          letGo();
          reject(error);
        },
      });
      child.send(request, socket, (error: Error | null) => {
        // The message carries the socket now: it stays open.
        letGo();
        if (error !== null) this.#waiting.get(id)?.reject(error);
      });
    });
  }

  /** Takes a response of the helper. */
  take(message: HelperAnswer, socket: Socket | Server | undefined): void {
    const { id, error } = message;
    const waiting = this.#waiting.get(id);
    // The caller has given up.
    if (waiting === undefined) return socket && closeHandle(socket);
    if (error === undefined) return waiting.resolve({ ...message, socket });
    waiting.reject(Object.assign(new Error(error.message), error));
  }

  /** Rejects all of them: the helper has ended. */
  giveUp(error: unknown): void {
    for (const { reject } of this.#waiting.values()) reject(error);
  }
}
