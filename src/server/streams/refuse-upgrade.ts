import type { UpgradedSocket } from '../../apiserver/index.ts';
import { endWithAnswer } from '../../network/index.ts';

/** Refuses an upgrade with a response in plain text. */
export function refuseUpgrade(
  { socket, onRefusal }: UpgradedSocket,
  code: number,
  text: string,
  headers: ReadonlyArray<readonly [string, string]> = [],
): void {
  onRefusal(code);
  endWithAnswer(socket, { code, type: 'text/plain; charset=utf-8', text, headers });
}
