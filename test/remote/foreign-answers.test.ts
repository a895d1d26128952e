import type { Server } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { SystemClock } from '../../src/clock.ts';
import { HttpConnections } from '../../src/images/registry/connection.ts';
import { ClusterConnection } from '../../src/remote/base/connection.ts';
import { callOnMachine } from '../../src/apiserver/admission/call-webhook.ts';
import { HOSTILE_ANSWERS, hostileProgram, listening } from '../network/hostile-answers.ts';

let program: Server;

afterEach(() => program.close());

async function atProgram(): Promise<string> {
  program = hostileProgram();
  return `http://127.0.0.1:${await listening(program)}`;
}

/** The end of a call: it never waits for ever, and throws nothing but an error with a sentence. */
async function ended(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => 'answered',
    (error: unknown) => (error instanceof Error && !error.message.includes('\n') ? 'refused' : 'odd'),
  );
}

it.each([...HOSTILE_ANSWERS.keys()])(
  '%s of a cluster, a registry or a webhook is an error or an answer',
  async (path) => {
    const url = await atProgram();
    const access = {
      context: 'x',
      server: url,
      namespace: undefined,
      requestOptions: () => Promise.resolve({}),
      forward: () => Promise.reject(new Error('none')),
    };
    const cluster = new ClusterConnection(access);
    expect(await ended(cluster.request({ method: 'GET', path }))).toBe('refused');
    const registry = new HttpConnections({}, {});
    const signal = new AbortController().signal;
    const pulled = registry.request({ method: 'GET', url: url + path, signal }).then(({ body }) => body.toArray());
    expect(await ended(pulled)).not.toBe('odd');
    registry.close();
    const webhook = { clientConfig: { url: url + path } };
    const options = { clock: new SystemClock(), objects: undefined as never, node: undefined, closed: signal };
    expect(await ended(callOnMachine(webhook, {}, options)!)).toBe('refused');
  },
);
