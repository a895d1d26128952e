import type { IncomingMessage } from 'node:http';
import { badRequestStatus, StatusError } from '../../apiserver/index.ts';

/** Source: apiserver/pkg/server/config.go, MaxRequestBodyBytes. */
const BYTES_MAX = 3 * 1024 * 1024;

/**
 * Reads the whole body of a request.
 * @throws {StatusError} when it is too large, or ends early
 */
export async function readRequestBody(raw: IncomingMessage): Promise<Buffer> {
  if (Number(raw.headers['content-length'] ?? 0) > BYTES_MAX) throw tooLarge();
  const pieces: Buffer[] = [];
  let size = 0;
  try {
    for await (const piece of raw as AsyncIterable<Buffer>) {
      size += piece.length;
      if (size > BYTES_MAX) throw tooLarge();
      pieces.push(piece);
    }
  } catch (error) {
    if (error instanceof StatusError) throw error;
    throw badRequestStatus('the body of the request ended early');
  }
  return Buffer.concat(pieces);
}

function tooLarge(): StatusError {
  return new StatusError({
    code: 413,
    reason: 'RequestEntityTooLarge',
    message: `Request entity too large: limit is ${BYTES_MAX}`,
    details: {},
  });
}
