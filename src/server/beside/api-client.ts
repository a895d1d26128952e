import { Agent, request as httpsRequest } from 'node:https';
import { isJsonObject, type JsonObject } from '../../api/index.ts';
import { guarded } from '../../defects.ts';

/** An API server, and the credentials for it. */
export interface ApiAddress {
  readonly url: string;
  /** PEM. */
  readonly ca: string;
  readonly token: string;
}

/** The response of an API server. */
export interface ApiResponse {
  readonly code: number;
  /** An object, or a Status. Empty when the response is no JSON. */
  readonly body: JsonObject;
  /** The texts of its warnings. */
  readonly warnings: readonly string[];
}

export interface ApiCall {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: JsonObject | undefined;
  /** The type of the body. Default: JSON. */
  readonly contentType?: string;
}

/** A client of an API server, with connections that stay open. */
export class ApiClient {
  readonly #address: ApiAddress;
  readonly #agent: Agent;

  constructor(address: ApiAddress) {
    this.#address = address;
    this.#agent = new Agent({ keepAlive: true, ca: address.ca });
  }

  /** Rejects when the server does not respond. */
  call({ method, path, body, contentType = 'application/json' }: ApiCall): Promise<ApiResponse> {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const headers = {
      Authorization: `Bearer ${this.#address.token}`,
      Accept: 'application/json',
      'User-Agent': 'podrun',
      ...(text !== undefined && { 'Content-Type': contentType, 'Content-Length': Buffer.byteLength(text) }),
    };
    return new Promise((resolve, reject) => {
      const request = guarded(httpsRequest(new URL(path, this.#address.url), { method, headers, agent: this.#agent }));
      request.once('error', reject);
      request.once('response', (response) => {
        const pieces: Buffer[] = [];
        response.on('data', (piece: Buffer) => pieces.push(piece));
        response.once('error', reject);
        response.once('end', () => {
          const { statusCode: code = 0, headers: given } = response;
          resolve({ code, body: parsed(Buffer.concat(pieces).toString()), warnings: warningsIn(given['warning']) });
        });
      });
      request.end(text);
    });
  }

  /** Closes the connections. */
  close(): void {
    this.#agent.destroy();
  }
}

function parsed(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}

/** The texts of a header such as `299 - "first", 299 - "second"`. */
function warningsIn(header: string | undefined): string[] {
  const [, ...parts] = header?.split('299 - "') ?? [];
  return parts.map((part) => part.slice(0, part.lastIndexOf('"')).replaceAll(/\\(.)/g, '$1'));
}

/** The reason of a failure, in the words of the server. */
export function messageOf({ code, body }: ApiResponse): string {
  const { message } = body;
  return typeof message === 'string' && message !== '' ? message : `the API server responds with ${code}`;
}
