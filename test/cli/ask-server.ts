import { request } from 'node:https';
import type { KubernetesServer } from '../../src/library/index.ts';

/** Asks a server, with an object as the body of a POST. Returns the object of the answer. */
export async function askServer<T>({ url, ca, token }: KubernetesServer, target: string, body?: object): Promise<T> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const text = await new Promise<string>((resolve, reject) => {
    const sent = request(url + target, { method: body === undefined ? 'GET' : 'POST', headers, ca }, (answer) => {
      let all = '';
      answer.setEncoding('utf8').on('data', (piece: string) => (all += piece));
      answer.on('end', () => resolve(all));
    });
    sent.on('error', reject).end(body && JSON.stringify(body));
  });
  return JSON.parse(text) as T;
}
