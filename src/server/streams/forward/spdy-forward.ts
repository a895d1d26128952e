import type { CarriedStream } from '../carried-stream.ts';
import type { SpdyStream } from '../spdy/spdy-connection.ts';
import type { ForwardedConnection } from './forward-connection.ts';

/** The protocol of port-forward inside SPDY. */
export const PORT_FORWARD_PROTOCOL = 'portforward.k8s.io';

const PORT_MAX = 65_535;
/** A client that opens halves only gets no further. */
const HALVES_MAX = 256;

/**
 * Pairs the streams of a client: for each connection it opens one for errors and one for data, with the same number.
 * Source: kubelet/pkg/cri/streaming/portforward/httpstream.go.
 */
export class ForwardedPairs {
  readonly #halves = new Map<string, { readonly type: string; readonly stream: CarriedStream }>();
  readonly #onPair: (connection: ForwardedConnection) => void;

  constructor(onPair: (connection: ForwardedConnection) => void) {
    this.#onPair = onPair;
  }

  /** Takes a stream. One that means nothing is reset. */
  take({ stream, headers }: SpdyStream): void {
    const [type = '', port = '', request = ''] = ['streamtype', 'port', 'requestid'].map((name) => headers.get(name));
    const number = /^\d{1,5}$/.test(port) ? Number(port) : 0;
    if (!['data', 'error'].includes(type) || number < 1 || number > PORT_MAX) return void stream.destroy();
    const id = `${request} ${number}`;
    const other = this.#halves.get(id);
    if (other === undefined) {
      if (this.#halves.size >= HALVES_MAX) return void stream.destroy();
      this.#halves.set(id, { type, stream });
      return void stream.once('close', () => this.#forget(id, stream));
    }
    if (other.type === type) return void stream.destroy();
    this.#halves.delete(id);
    const [data, errors] = type === 'data' ? [stream, other.stream] : [other.stream, stream];
    // The client has nothing to say here: it ends its side at once.
    errors.resume();
    this.#onPair({ port: number, data, errors });
  }

  #forget(id: string, stream: CarriedStream): void {
    if (this.#halves.get(id)?.stream === stream) this.#halves.delete(id);
  }
}
