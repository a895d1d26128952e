import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { SystemClock } from '../../../src/clock.ts';
import { callOnMachine } from '../../../src/apiserver/admission/call-webhook.ts';
import { askWebhooks, type CallWebhook, type Webhook } from '../../../src/apiserver/admission/webhooks.ts';
import { DEPLOYMENTS, requestOf } from './request-of.ts';

const webhook = (change: Partial<Webhook> = {}): Webhook => ({
  name: 'a.example.com',
  clientConfig: { url: 'https://127.0.0.1:1' },
  rules: [DEPLOYMENTS],
  ...change,
});

/** A call as the server makes it. Only Services are looked up among the objects. */
const onMachine: CallWebhook = (hook, review) => {
  const [clock, closed] = [new SystemClock(), new AbortController().signal];
  return callOnMachine(hook, review, { clock, closed, objects: undefined as never, node: undefined });
};

/** A webhook that answers with this response. */
const answering =
  (response: object): CallWebhook =>
  (_, review) =>
    Promise.resolve({ response: { uid: (review as { request: { uid: string } }).request.uid, ...response } });

const patchTo = (replicas: number): string =>
  Buffer.from(JSON.stringify([{ op: 'replace', path: '/spec/replicas', value: replicas }])).toString('base64');

describe('a webhook', () => {
  it('changes the object', async () => {
    const call = answering({ allowed: true, patchType: 'JSONPatch', patch: patchTo(1) });
    const { object, denial } = await askWebhooks([webhook()], requestOf(), { call, isMutating: true });
    expect(denial).toBeUndefined();
    expect(object?.['spec']).toEqual({ replicas: 1 });
  });

  it('refuses the object, and warns', async () => {
    const call = answering({ allowed: false, status: { message: 'no', code: 403 }, warnings: ['careful'] });
    const { denial, warnings } = await askWebhooks([webhook()], requestOf(), { call, isMutating: false });
    expect(denial).toEqual({
      code: 403,
      reason: '',
      message: 'admission webhook "a.example.com" denied the request: no',
    });
    expect(warnings).toEqual(['careful']);
  });

  it('that does not answer refuses the object, unless its failures are ignored', async () => {
    const call: CallWebhook = () => Promise.reject(new Error('Post "https://127.0.0.1:1/": connect ECONNREFUSED'));
    const strict = await askWebhooks([webhook()], requestOf(), { call, isMutating: false });
    expect(strict.denial?.message).toBe(
      'Internal error occurred: failed calling webhook "a.example.com": failed to call webhook: ' +
        'Post "https://127.0.0.1:1/": connect ECONNREFUSED',
    );
    const lenient = await askWebhooks([webhook({ failurePolicy: 'Ignore' })], requestOf(), { call, isMutating: false });
    expect(lenient.denial).toBeUndefined();
  });

  it('elsewhere is not called, and the client gets a warning', async () => {
    const hook = webhook({ clientConfig: { url: 'https://example.com' } });
    const { denial, warnings } = await askWebhooks([hook], requestOf(), { call: onMachine, isMutating: false });
    expect(denial).toBeUndefined();
    expect(warnings).toEqual(['podrun calls webhooks of this machine only: a.example.com was not asked']);
  });

  it('on this machine is called', async () => {
    const reviews: unknown[] = [];
    const server = createServer((request, response) => {
      request.setEncoding('utf8').on('data', (text: string) => {
        const review = JSON.parse(text) as { request: { uid: string; operation: string } };
        reviews.push(review.request.operation);
        response.end(JSON.stringify({ response: { uid: review.request.uid, allowed: true } }));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const { port } = server.address() as AddressInfo;
      const hook = webhook({ clientConfig: { url: `http://127.0.0.1:${port}/check` } });
      const { denial } = await askWebhooks([hook], requestOf(), { call: onMachine, isMutating: false });
      expect(denial).toBeUndefined();
      expect(reviews).toEqual(['CREATE']);
    } finally {
      server.close();
      server.closeAllConnections();
    }
  });
});
