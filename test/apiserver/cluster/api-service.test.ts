import { expect, it } from 'vitest';
import { ApiService } from '../../../src/apiserver/cluster/api-service.ts';
import { startServer } from '../../server/start-server.ts';

const NAMESPACE = '/api/v1/namespaces/default';
const SLICES = '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices';

it('the Service of the API server and its endpoints come back when a client deletes them', async () => {
  const server = await startServer();
  try {
    const service = new ApiService(server.store);
    const took: unknown[] = [];
    const first = service.open();
    const follow = service.follow(
      ({ metadata: { uid }, spec }) => took.push([uid, spec?.clusterIP]),
      (error) => took.push(error),
    );
    service.leadTo({ address: '10.93.0.1', port: 6443 });
    expect((await server.request('DELETE', `${NAMESPACE}/services/kubernetes`)).code).toBe(200);
    const { body } = await server.get(`${NAMESPACE}/services/kubernetes`);
    expect(took).toEqual([[body.metadata.uid, first?.spec?.clusterIP]]);
    expect(body.metadata.uid).not.toBe(first?.metadata.uid);
    await server.request('DELETE', `${SLICES}/kubernetes`);
    await server.request('DELETE', `${NAMESPACE}/endpoints/kubernetes`);
    const [slice, endpoints] = [`${SLICES}/kubernetes`, `${NAMESPACE}/endpoints/kubernetes`];
    expect((await server.get(slice)).body.endpoints).toMatchObject([{ addresses: ['10.93.0.1'] }]);
    expect((await server.get(endpoints)).body.subsets).toMatchObject([{ addresses: [{ ip: '10.93.0.1' }] }]);
    follow.close();
    service.close();
    expect((await server.get(`${NAMESPACE}/services/kubernetes`)).code).toBe(404);
  } finally {
    await server.close();
  }
});
