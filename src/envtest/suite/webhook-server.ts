import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { isJsonObject, type JsonObject, type KubeObject } from '../../api/index.ts';
import { guarded } from '../../defects.ts';
import type { SuiteApi } from './open-suite-api.ts';

/** The place of a suite's own server of webhooks. Names as `https.createServer` has them. */
export interface LocalServer {
  readonly host: string;
  readonly port: number;
  /** PEM. */
  readonly cert: string;
  /** PEM. */
  readonly key: string;
}

const LOOPBACK = '127.0.0.1';

/** Chooses a port that is free now, and makes a certificate that holds there. */
export async function webhookServerFor({ certifyServer }: Pick<SuiteApi, 'certifyServer'>): Promise<LocalServer> {
  const [port, { certificate: cert, key }] = await Promise.all([freePort(), certifyServer()]);
  return { host: LOOPBACK, port, cert, key };
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = guarded(createServer());
    server.once('error', reject);
    server.listen(0, LOOPBACK, () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}

/**
 * Leads the webhooks of a configuration, or of the conversions of a definition, to a server on this machine in place of
 * their Service. Source: controller-runtime, pkg/envtest/webhook.go and crd.go.
 */
export function withLocalWebhooks(object: KubeObject, { host, port }: LocalServer, ca: string): KubeObject {
  const led = (holder: JsonObject): JsonObject => {
    const config = holder['clientConfig'];
    const service = isJsonObject(config) ? config['service'] : undefined;
    if (!isJsonObject(service)) return holder;
    const path = typeof service['path'] === 'string' ? service['path'].replace(/^\/+/, '') : '';
    const url = `https://${host}:${port}/${path}`;
    return { ...holder, clientConfig: { url, caBundle: Buffer.from(ca).toString('base64') } };
  };
  const { webhooks, spec } = object as KubeObject & { readonly webhooks?: unknown; readonly spec?: unknown };
  if (Array.isArray(webhooks))
    return {
      ...object,
      webhooks: webhooks.map((each: unknown) => (isJsonObject(each) ? led(each) : each)),
    };
  if (!isJsonObject(spec) || !isJsonObject(spec['conversion'])) return object;
  const { webhook } = spec['conversion'];
  if (!isJsonObject(webhook)) return object;
  return { ...object, spec: { ...spec, conversion: { ...spec['conversion'], webhook: led(webhook) } } };
}
