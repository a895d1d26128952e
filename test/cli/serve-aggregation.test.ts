import path from 'node:path';
import { expect, it } from 'vitest';
import { makeCertificates } from '../../src/server/http/certificates.ts';
import { serveForFile, SOON } from './flows/api.ts';
import { freePort } from '../free-port.ts';

const { send, get, newNamespace } = serveForFile('--runtime', 'process');

const ROOT = '/apis/wardrobe.example.com/v1';

it('an API server in a Pod behind a Service serves its group, until its Pod has gone', async () => {
  const core = await newNamespace('shop');
  const names = ['wardrobe.shop.svc'];
  const { ca, server } = await makeCertificates({ names, addresses: [] }, Date.now());
  const config = await get('/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication');
  // In the network of this machine, Pods share their ports with all programs.
  const port = await freePort();
  const env = {
    CERT: server.certificate,
    KEY: server.key,
    CLIENT_CA: String(config['data']['requestheader-client-ca-file']),
    PORT: String(port),
  };
  const labels = { app: 'wardrobe' };
  await send('POST', `${core}/services`, {
    metadata: { name: 'wardrobe' },
    spec: { selector: labels, ports: [{ port: 443, targetPort: port }] },
  });
  await send('POST', `${core}/pods`, {
    metadata: { name: 'wardrobe', labels },
    spec: {
      terminationGracePeriodSeconds: 0,
      containers: [
        {
          name: 'main',
          image: 'node',
          command: [process.execPath, path.resolve('test/server/aggregation/wardrobe.mjs')],
          env: Object.entries(env).map(([name, value]) => ({ name, value })),
          readinessProbe: { tcpSocket: { port }, periodSeconds: 1 },
        },
      ],
    },
  });
  const apiServices = '/apis/apiregistration.k8s.io/v1/apiservices';
  await send('POST', apiServices, {
    metadata: { name: 'v1.wardrobe.example.com' },
    spec: {
      group: 'wardrobe.example.com',
      version: 'v1',
      service: { namespace: 'shop', name: 'wardrobe' },
      caBundle: Buffer.from(ca.certificate).toString('base64'),
      groupPriorityMinimum: 1000,
      versionPriority: 15,
    },
  });
  const reason = async (): Promise<unknown> =>
    (await get(`${apiServices}/v1.wardrobe.example.com`))['status'].conditions?.[0]?.reason;
  await expect.poll(reason, SOON).toBe('Passed');
  const coats = `${ROOT}/namespaces/shop/coats`;
  expect(await send('POST', coats, { metadata: { name: 'a' } })).toMatchObject({ kind: 'Coat', httpCode: 201 });
  expect(await get(coats)).toMatchObject({ items: [{ metadata: { name: 'a' } }] });
  await send('DELETE', `${core}/pods/wardrobe`);
  await expect.poll(reason, SOON).toMatch(/EndpointsNotFound|MissingEndpoints/);
});
