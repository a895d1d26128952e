import type { Readable } from 'node:stream';
import { PullError } from './pull-error.ts';

/**
 * Reads a whole body.
 * @throws {PullError} when it is longer than the limit, or breaks off
 */
export async function readBody(body: Readable, maxBytes: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const piece of body as AsyncIterable<Buffer>) {
      bytes += piece.length;
      if (bytes > maxBytes) throw new PullError(`the answer has more than ${maxBytes} bytes`);
      pieces.push(piece);
    }
  } catch (error) {
    if (error instanceof PullError) throw error;
    throw new PullError('unexpected EOF');
  }
  return Buffer.concat(pieces);
}
