/**
 * What a client and the agent say to each other about the streams of a container: frames of a kind (one byte), a length
 * (four bytes, the highest first) and that many bytes of payload. Kind 0 is a message in JSON, the others are pieces of
 * the streams as they are.
 */

export type AttachStream = 'stdin' | 'stdout' | 'stderr';

export type ClientMessage =
  | OpeningMessage
  | { readonly type: 'resize'; readonly columns: number; readonly rows: number }
  /** There will be no more input. */
  | { readonly type: 'stdinEnd' };

/** The first message of a client: what it wants to be connected with. `stdin`: its input is to go there. */
export type OpeningMessage =
  | { readonly type: 'attach'; readonly container: string; readonly stdin: boolean }
  /** A command of its own in the container, which lives as long as the connection. */
  | {
      readonly type: 'exec';
      readonly container: string;
      readonly argv: readonly [string, ...string[]];
      readonly stdin: boolean;
      readonly tty: boolean;
    }
  /** Where a path of the container is for commands in it: volumes may be elsewhere. */
  | { readonly type: 'locate'; readonly container: string; readonly path: string; readonly stdin: false };

export type AgentMessage =
  /** `notice`: what was asked for and is not, or not wholly, there; one sentence. */
  | { readonly type: 'attached'; readonly hasTerminal: boolean; readonly notice?: string | undefined }
  /** There is no such container, or it does not run. */
  | { readonly type: 'refused' }
  /** The command could not be started, in the words of a container runtime. */
  | { readonly type: 'failed'; readonly error: string }
  /** The answer to `locate`. */
  | { readonly type: 'located'; readonly path: string }
  /** The container goes on; this client's input, which the connection was about, has come to its end. */
  | { readonly type: 'detached' }
  /** The last one: the container, or the command, has ended, and all of its output has been sent. */
  | { readonly type: 'exit'; readonly exitCode: number };

export type Frame<Message = ClientMessage | AgentMessage> =
  | { readonly kind: 'message'; readonly message: Message }
  | { readonly kind: AttachStream; readonly chunk: Buffer };

const KINDS = ['message', 'stdin', 'stdout', 'stderr'] as const;
const HEAD_BYTES = 5;
/** Nobody sends so much at once; who does speaks another language. */
const PAYLOAD_BYTES_MAX = 16 * 1024 * 1024;

export function encodeFrame(frame: Frame): Buffer {
  const payload = frame.kind === 'message' ? Buffer.from(JSON.stringify(frame.message)) : frame.chunk;
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt8(KINDS.indexOf(frame.kind));
  head.writeUInt32BE(payload.length, 1);
  return Buffer.concat([head, payload]);
}

/** Puts frames together from the pieces in which they arrive. */
export class FrameReader<Message> {
  #rest: Buffer = Buffer.alloc(0);

  /** @throws {Error} for bytes that are no frames */
  read(piece: Buffer): Frame<Message>[] {
    this.#rest = this.#rest.length === 0 ? piece : Buffer.concat([this.#rest, piece]);
    const frames: Frame<Message>[] = [];
    while (this.#rest.length >= HEAD_BYTES) {
      const kind = KINDS[this.#rest.readUInt8()];
      const end = HEAD_BYTES + this.#rest.readUInt32BE(1);
      if (kind === undefined || end > PAYLOAD_BYTES_MAX) throw new Error('these are no frames');
      if (this.#rest.length < end) break;
      const payload = this.#rest.subarray(HEAD_BYTES, end);
      this.#rest = this.#rest.subarray(end);
      if (kind === 'message') frames.push({ kind, message: JSON.parse(payload.toString()) as Message });
      else frames.push({ kind, chunk: payload });
    }
    return frames;
  }
}
