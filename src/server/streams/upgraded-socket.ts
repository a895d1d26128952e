import type { Duplex } from 'node:stream';
import { endWithAnswer } from '../../network/index.ts';

/** The connection of a request with the header Upgrade, and the bytes behind the request. */
export interface UpgradedSocket {
  readonly socket: Duplex;
  readonly head: Buffer;
}

/** Refuses an upgrade with a response in plain text. */
export function refuseUpgrade(
  { socket }: UpgradedSocket,
  code: number,
  text: string,
  headers: ReadonlyArray<readonly [string, string]> = [],
): void {
  endWithAnswer(socket, { code, type: 'text/plain; charset=utf-8', text, headers });
}
