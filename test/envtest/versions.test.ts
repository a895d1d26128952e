import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ControlPlane } from './control-plane.ts';

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const GADGETS = '/apis/acme.io/v1/namespaces/default/gadgets';

const plane = new ControlPlane({ PODRUN_ENVTEST_VERSION: '1.32.4' });
let send: ReturnType<ControlPlane['as']>;

beforeAll(async () => {
  await plane.start();
  send = plane.as(plane.admin);
});

afterAll(() => plane.stop());

describe('a suite with PODRUN_ENVTEST_VERSION=1.32.4', () => {
  it('sees that version', async () => {
    const { body } = await send('GET', '/version');
    expect([body.major, body.minor, body.gitVersion, body.emulationMinor]).toEqual(['1', '32', 'v1.32.4', undefined]);
  });

  it('sees its kinds, and what it keeps for itself in the place of newer ones', async () => {
    const groups = (await send('GET', '/apis')).body.groups.map(({ name }: { readonly name: string }) => name);
    expect(groups).toContain('networking.k8s.io');
    expect(groups).not.toContain('resource.k8s.io');
    expect((await send('GET', '/apis/networking.k8s.io/v1/servicecidrs')).code).toBe(404);
    const { code, body } = await send('POST', '/api/v1/namespaces/default/services', {
      metadata: { name: 'web' },
      spec: { ports: [{ port: 80 }] },
    });
    expect([code, body.spec.clusterIP]).toEqual([201, expect.stringMatching(/^10\.0\.0\./)]);
  });

  it('reads its words about a rule', async () => {
    const schema = { openAPIV3Schema: { type: 'object', properties: { spec: specWith({ rule: 'self.n > 1' }) } } };
    const names = { plural: 'gadgets', singular: 'gadget', kind: 'Gadget', listKind: 'GadgetList' };
    const versions = [{ name: 'v1', served: true, storage: true, schema }];
    const spec = { group: 'acme.io', scope: 'Namespaced', names, versions };
    expect((await send('POST', DEFINITIONS, { metadata: { name: 'gadgets.acme.io' }, spec })).code).toBe(201);
    await expect.poll(async () => (await send('GET', GADGETS)).code).toBe(200);
    const refused = await send('POST', GADGETS, {
      apiVersion: 'acme.io/v1',
      kind: 'Gadget',
      metadata: { name: 'a' },
      spec: { n: 1 },
    });
    expect([refused.code, refused.body.message]).toEqual([
      422,
      'Gadget.acme.io "a" is invalid: spec: Invalid value: "object": failed rule: self.n > 1',
    ]);
  });
});

function specWith(rule: object): object {
  return { type: 'object', properties: { n: { type: 'integer' } }, 'x-kubernetes-validations': [rule] };
}
