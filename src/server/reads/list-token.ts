import { quietly } from '../../quietly.ts';
import { badRequestStatus } from '../../apiserver/base/status-error.ts';

/** The place where a list continues: a version of it, and the last object that was sent. */
export interface ListToken {
  readonly version: number;
  /** `NAMESPACE/NAME`. */
  readonly after: string;
}

/** The token as clients get it: they do not look into it. */
export function formatToken({ version, after }: ListToken): string {
  return Buffer.from(JSON.stringify({ v: 'podrun/v1', rv: version, start: after })).toString('base64url');
}

/** @throws {StatusError} 400 */
export function readToken(text: string): ListToken {
  const read = quietly(() => JSON.parse(Buffer.from(text, 'base64url').toString()) as Record<string, unknown>);
  const { rv, start } = read ?? {};
  if (typeof rv !== 'number' || typeof start !== 'string')
    throw badRequestStatus('invalid continue token: it cannot be read');
  return { version: rv, after: start };
}
