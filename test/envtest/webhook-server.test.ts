import { describe, expect, it } from 'vitest';
import { withLocalWebhooks } from '../../src/envtest/suite/webhook-server.ts';
import type { KubeObject } from '../../src/api/base/objects.ts';

const HERE = { host: '127.0.0.1', port: 9443, cert: '', key: '' };
const led = (object: object): unknown => withLocalWebhooks(object as KubeObject, HERE, 'CA');
const caBundle = Buffer.from('CA').toString('base64');

describe('a reference to a Service leads to the server of a suite', () => {
  it.each([
    [{ service: { namespace: 'a', name: 'b', path: '/c' } }, 'https://127.0.0.1:9443/c'],
    [{ service: { namespace: 'a', name: 'b', path: 'c', port: 8443 }, caBundle: 'x' }, 'https://127.0.0.1:9443/c'],
    [{ service: { namespace: 'a', name: 'b' } }, 'https://127.0.0.1:9443/'],
  ])('in a webhook: %j', (clientConfig, url) => {
    const kept = { name: 'kept', clientConfig: { url: 'https://example.com', caBundle: 'x' } };
    const webhooks = [{ name: 'd', clientConfig }, kept];
    expect(led({ kind: 'ValidatingWebhookConfiguration', metadata: {}, webhooks })).toEqual({
      kind: 'ValidatingWebhookConfiguration',
      metadata: {},
      webhooks: [{ name: 'd', clientConfig: { url, caBundle } }, kept],
    });
  });

  it('in the conversion of a definition', () => {
    const definition = (clientConfig: object): object => ({
      kind: 'CustomResourceDefinition',
      metadata: {},
      spec: {
        group: 'example.com',
        conversion: { strategy: 'Webhook', webhook: { clientConfig, conversionReviewVersions: ['v1'] } },
      },
    });
    const service = { namespace: 'a', name: 'b', path: '/convert' };
    expect(led(definition({ service }))).toEqual(definition({ url: 'https://127.0.0.1:9443/convert', caBundle }));
  });

  it('and nothing else changes', () => {
    for (const spec of [{}, { conversion: { strategy: 'None' } }, { conversion: { strategy: 'Webhook' } }]) {
      const definition = { kind: 'CustomResourceDefinition', metadata: {}, spec };
      expect(led(definition)).toEqual(definition);
    }
  });
});
