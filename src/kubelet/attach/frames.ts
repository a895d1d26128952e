/**
 * The protocol between a client and the agent for the streams of a container: frames of a kind (one byte), a length
 * (four bytes, big-endian) and a payload of that many bytes. Kind 0 is a message in JSON; all further kinds are pieces
 * of the streams.
 */

export type AttachStream = 'stdin' | 'stdout' | 'stderr';

export type ClientMessage =
  | OpeningMessage
  | { readonly type: 'resize'; readonly columns: number; readonly rows: number }
  /** The end of the input. */
  | { readonly type: 'stdinEnd' };

/** The first message of a client: its request. `stdin`: true when the client sends input. */
export type OpeningMessage =
  | { readonly type: 'attach'; readonly container: string; readonly stdin: boolean }
  /** A command of its own in the container, which ends with the connection. */
  | {
      readonly type: 'exec';
      readonly container: string;
      readonly argv: readonly [string, ...string[]];
      readonly stdin: boolean;
      readonly tty: boolean;
    }
  /**
   * A request for the path that commands in the container must use for a path of the manifest: volumes may lie
   * elsewhere.
   */
  | { readonly type: 'locate'; readonly container: string; readonly path: string; readonly stdin: false };

export type AgentMessage =
  /** `notice`: one sentence about a part of the request that podrun cannot fulfil. */
  | { readonly type: 'attached'; readonly hasTerminal: boolean; readonly notice?: string | undefined }
  /** The container does not exist or does not run. */
  | { readonly type: 'refused' }
  /** The command could not be started. `error` has the words of a container runtime. */
  | { readonly type: 'failed'; readonly error: string }
  /** The answer to `locate`. */
  | { readonly type: 'located'; readonly path: string }
  /** The client's input has ended. The container runs on. */
  | { readonly type: 'detached' }
  /** The last message: the container or command has ended, and all of its output was sent. */
  | { readonly type: 'exit'; readonly exitCode: number };

export type AttachFrame<Message = ClientMessage | AgentMessage> =
  | { readonly kind: 'message'; readonly message: Message }
  | { readonly kind: AttachStream; readonly chunk: Buffer };

const KINDS = ['message', 'stdin', 'stdout', 'stderr'] as const;
const HEAD_BYTES = 5;
/** A longer frame cannot come from podrun. */
const PAYLOAD_BYTES_MAX = 16 * 1024 * 1024;

export function encodeAttachFrame(frame: AttachFrame): Buffer {
  const payload = frame.kind === 'message' ? Buffer.from(JSON.stringify(frame.message)) : frame.chunk;
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt8(KINDS.indexOf(frame.kind));
  head.writeUInt32BE(payload.length, 1);
  return Buffer.concat([head, payload]);
}

/** Joins the pieces of a stream into frames. */
export class AttachFrameReader<Message> {
  #pieces: Buffer[] = [];
  #length = 0;
  #wanted = HEAD_BYTES;

  /** @throws {Error} for bytes that are not frames */
  read(piece: Buffer): AttachFrame<Message>[] {
    this.#pieces.push(piece);
    this.#length += piece.length;
    // Joins the pieces of a large frame only once.
    if (this.#length < this.#wanted) return [];
    let rest = Buffer.concat(this.#pieces);
    const frames: AttachFrame<Message>[] = [];
    this.#wanted = HEAD_BYTES;
    while (rest.length >= HEAD_BYTES) {
      const kind = KINDS[rest.readUInt8()];
      const end = HEAD_BYTES + rest.readUInt32BE(1);
      if (kind === undefined || end > PAYLOAD_BYTES_MAX) throw new Error('these bytes are no podrun frames');
      if (rest.length < end) {
        this.#wanted = end;
        break;
      }
      const payload = rest.subarray(HEAD_BYTES, end);
      rest = rest.subarray(end);
      if (kind === 'message') frames.push({ kind, message: JSON.parse(payload.toString()) as Message });
      else frames.push({ kind, chunk: payload });
    }
    this.#pieces = [rest];
    this.#length = rest.length;
    return frames;
  }
}
