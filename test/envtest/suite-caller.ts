import { request } from 'node:https';
import type { PlaneAnswer } from './control-plane.ts';

/** The credentials of a user. */
interface Credentials {
  readonly certificate?: string;
  readonly key?: string;
  readonly token?: string;
}

/** Returns what sends requests to an API server as a user. */
export function callerOf(
  { url, ca }: { readonly url: string; readonly ca: string },
  { certificate: cert, key, token }: Credentials,
): (method: string, target: string, body?: unknown) => Promise<PlaneAnswer> {
  return (method, target, body) =>
    new Promise((resolve, reject) => {
      const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) };
      const sent = request(url + target, { method, headers, ca, cert, key, agent: false }, (got) => {
        let text = '';
        got.setEncoding('utf8').on('data', (piece: string) => (text += piece));
        got.on('end', () =>
          resolve({
            code: got.statusCode ?? 0,
            body: /json/.test(got.headers['content-type'] ?? '') ? JSON.parse(text) : text,
          }),
        );
      });
      sent.on('error', reject);
      sent.end(body === undefined ? undefined : JSON.stringify(body));
    });
}
