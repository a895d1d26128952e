import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startServer, type TestAnswer, type TestServer } from './start-server.ts';

let server: TestServer;

beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';

/** Applies a ConfigMap on the server. */
function apply(name: string, data: Record<string, string>, query: string): Promise<TestAnswer> {
  const body = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data });
  return server.request('PATCH', `${CONFIG_MAPS}/${name}?${query}`, body, {
    'content-type': 'application/apply-patch+yaml',
  });
}

describe('server-side apply over HTTP', () => {
  it('creates, changes nothing twice, and reports conflicts', async () => {
    const created = await apply('a', { x: '1' }, 'fieldManager=me');
    expect(created.code).toBe(201);
    expect(created.body.metadata.managedFields).toMatchObject([
      { manager: 'me', operation: 'Apply', fieldsV1: { 'f:data': { 'f:x': {} } } },
    ]);
    const again = await apply('a', { x: '1' }, 'fieldManager=me');
    expect(again.code).toBe(200);
    expect(again.body.metadata.resourceVersion).toBe(created.body.metadata.resourceVersion);
    const refused = await apply('a', { x: '2' }, 'fieldManager=you');
    expect(refused.code).toBe(409);
    expect(refused.body).toMatchObject({
      reason: 'Conflict',
      message: 'Apply failed with 1 conflict: conflict with "me": .data.x',
      details: { causes: [{ reason: 'FieldManagerConflict', message: 'conflict with "me"', field: '.data.x' }] },
    });
    expect((await apply('a', { x: '2' }, 'fieldManager=you&force=true')).body.data).toEqual({ x: '2' });
  });

  it.each([
    [
      'without a manager',
      '',
      {},
      422,
      'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch',
    ],
    [
      'without a kind',
      'fieldManager=me',
      { kind: undefined, apiVersion: undefined },
      400,
      'invalid object type: /, Kind=',
    ],
    [
      'with managers',
      'fieldManager=me',
      { metadata: { managedFields: [{}] } },
      400,
      'metadata.managedFields must be nil',
    ],
    [
      'with an unknown field',
      'fieldManager=me',
      { dat: 1 },
      500,
      'failed to create typed patch object (/b; /v1, Kind=ConfigMap): .dat: field not declared in schema',
    ],
    [
      'with two unknown fields',
      'fieldManager=me',
      { dat: 1, metadata: { labls: {} } },
      500,
      'failed to create typed patch object (/b; /v1, Kind=ConfigMap): errors:\n' +
        '  .dat: field not declared in schema\n  .metadata.labls: field not declared in schema',
    ],
  ])('%s is refused', async (_, query, change, code, message) => {
    const body = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', ...change });
    const headers = { 'content-type': 'application/apply-patch+yaml' };
    const answer = await server.request('PATCH', `${CONFIG_MAPS}/b?${query}`, body, headers);
    expect(answer.body.message).toBe(message);
    expect(answer.code).toBe(code);
  });

  it('knows the managers of plain writes by parameter, else by their program', async () => {
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' }, data: { x: '1' } };
    await server.request('POST', CONFIG_MAPS, body, { 'user-agent': 'mine/1.0 (linux)' });
    const patch = JSON.stringify({ data: { y: '2' } });
    const headers = { 'content-type': 'application/merge-patch+json' };
    const answer = await server.request('PATCH', `${CONFIG_MAPS}/c?fieldManager=other`, patch, headers);
    const owners = (answer.body.metadata.managedFields as { manager: string; fieldsV1: object }[]).map(
      ({ manager, fieldsV1 }) => [manager, fieldsV1],
    );
    expect(Object.fromEntries(owners)).toEqual({
      mine: { 'f:data': { '.': {}, 'f:x': {} } },
      other: { 'f:data': { 'f:y': {} } },
    });
  });

  it.each(['merge-patch+json', 'strategic-merge-patch+json', 'json-patch+json', 'apply-patch+yaml'])(
    'refuses a %s that is nested without end, empty or no JSON',
    async (type) => {
      await apply('deep', { x: '1' }, 'fieldManager=me');
      for (const body of [`${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`, '', '{', '1 2', '{} {}']) {
        const headers = { 'content-type': `application/${type}` };
        const answer = await server.request('PATCH', `${CONFIG_MAPS}/deep?fieldManager=me`, body, headers);
        expect(answer.code).toBe(400);
      }
    },
  );

  it('reads bodies in protobuf', async () => {
    const body = Buffer.from(
      '6b3873000a0f0a0276311209436f6e6669674d6170121c0a120a0263311200' +
        '1a0022002a003200380042001206' +
        '0a01611201621a002200',
      'hex',
    );
    const headers = { 'content-type': 'application/vnd.kubernetes.protobuf' };
    const answer = await server.request('POST', CONFIG_MAPS, body, headers);
    expect(answer.code).toBe(201);
    expect(answer.body).toMatchObject({ metadata: { name: 'c1' }, data: { a: 'b' } });
    expect((await server.request('POST', CONFIG_MAPS, Buffer.from('{}'), headers)).code).toBe(400);
  });
});

describe('the managers of an object with several versions', () => {
  const put = (path: string, body: object, query: string): Promise<TestAnswer> =>
    server.request('PATCH', `${path}?${query}`, JSON.stringify(body), {
      'content-type': 'application/apply-patch+yaml',
    });
  const managersOf = ({ body }: TestAnswer): unknown[] =>
    (body.metadata.managedFields as { manager: string; apiVersion: string; fieldsV1: unknown }[]).map(
      ({ manager, apiVersion, fieldsV1 }) => [manager, apiVersion, fieldsV1],
    );

  const scaler = (apiVersion: string, spec: object): object => ({
    apiVersion,
    kind: 'HorizontalPodAutoscaler',
    metadata: { name: 'h' },
    spec: { scaleTargetRef: { kind: 'Deployment', name: 'x', apiVersion: 'apps/v1' }, ...spec },
  });
  const SCALERS = 'namespaces/default/horizontalpodautoscalers/h';

  it('own fields of the version in which they have written', async () => {
    const old = scaler('autoscaling/v1', { maxReplicas: 3, targetCPUUtilizationPercentage: 80 });
    const created = await put(`/apis/autoscaling/v1/${SCALERS}`, old, 'fieldManager=old');
    const ofOld = {
      'f:spec': { 'f:maxReplicas': {}, 'f:scaleTargetRef': {}, 'f:targetCPUUtilizationPercentage': {} },
    };
    expect(managersOf(created)).toEqual([['old', 'autoscaling/v1', ofOld]]);
    const again = await put(`/apis/autoscaling/v1/${SCALERS}`, old, 'fieldManager=old');
    expect([again.code, again.body.metadata.resourceVersion]).toEqual([200, created.body.metadata.resourceVersion]);
    const resource = { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } };
    const metrics = [{ type: 'Resource', resource }];
    const newer = scaler('autoscaling/v2', { maxReplicas: 3, metrics });
    const refused = await put(`/apis/autoscaling/v2/${SCALERS}`, newer, 'fieldManager=new');
    expect([refused.code, refused.body.message]).toEqual([
      409,
      'Apply failed with 1 conflict: conflict with "old": .spec.targetCPUUtilizationPercentage',
    ]);
    const taken = await put(`/apis/autoscaling/v2/${SCALERS}`, newer, 'fieldManager=new&force=true');
    const owners = managersOf(taken);
    expect(owners).toHaveLength(2);
    // The order is that of the seconds in which they wrote.
    expect(owners).toContainEqual([
      'new',
      'autoscaling/v2',
      expect.objectContaining({ 'f:spec': expect.objectContaining({ 'f:metrics': {} }) }),
    ]);
    expect(owners).toContainEqual([
      'old',
      'autoscaling/v1',
      { 'f:spec': { 'f:maxReplicas': {}, 'f:scaleTargetRef': {} } },
    ]);
  });

  it('keep what another of them owns when one leaves it out', async () => {
    const old = scaler('autoscaling/v1', {});
    const less = await put(`/apis/autoscaling/v1/${SCALERS}`, old, 'fieldManager=old');
    expect([less.code, less.body.spec.maxReplicas]).toEqual([200, 3]);
  });

  it('may be of an Event of either group', async () => {
    const event = {
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata: { name: 'e' },
      eventTime: '2026-01-01T00:00:00.000000Z',
      action: 'A',
      reason: 'R',
      type: 'Normal',
      reportingController: 'example.com/c',
      reportingInstance: 'i',
      regarding: { kind: 'Pod', namespace: 'default', name: 'p' },
    };
    const path = '/apis/events.k8s.io/v1/namespaces/default/events/e';
    const created = await put(path, event, 'fieldManager=a');
    expect([created.code, created.body.regarding.name]).toEqual([201, 'p']);
    const again = await put(path, event, 'fieldManager=a');
    expect([again.code, managersOf(again)]).toEqual([200, managersOf(created)]);
  });
});
