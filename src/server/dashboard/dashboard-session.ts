import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { isSameSecret } from '../../apiserver/index.ts';

const SECRET_BYTES = 32;
/** The most wrong codes: then the link is of no use any more, so the code cannot be guessed. */
const WRONG_MAX = 5;

/**
 * The one user of a dashboard. The link has a code, which is exchanged once for the token of the session: a link that
 * is found later is of no use.
 */
export class DashboardSession {
  readonly #token: string = randomBytes(SECRET_BYTES).toString('hex');
  #code: string | undefined = randomBytes(SECRET_BYTES).toString('hex');
  #wrong = 0;

  /** The code for the link. Undefined: it was used. */
  get code(): string | undefined {
    return this.#code;
  }

  /** The token, for the right code, once. */
  exchange(code: string): string | undefined {
    if (this.#code === undefined) return undefined;
    if (!isSameSecret(code, this.#code)) {
      this.#wrong += 1;
      if (this.#wrong >= WRONG_MAX) this.#code = undefined;
      return undefined;
    }
    this.#code = undefined;
    return this.#token;
  }

  isAllowed(token: string | undefined): boolean {
    return token !== undefined && isSameSecret(token, this.#token);
  }
}

/** True when the request is for this server and from its own page, and not from a website with a name of its own. */
export function isFromOwnPage({ host = '', origin }: IncomingHttpHeaders, port: number): boolean {
  const isHere = host === `127.0.0.1:${port}` || host === `localhost:${port}`;
  return isHere && (origin === undefined || origin === `http://${host}`);
}
