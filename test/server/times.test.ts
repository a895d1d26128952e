import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { KubeObject, StoredPod } from '../../src/api/base/objects.ts';
import { startServer, type TestServer } from './start-server.ts';

const PODS = '/api/v1/namespaces/default/pods';
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
const MERGE = { 'content-type': 'application/merge-patch+json' };
const JSON_PATCH = { 'content-type': 'application/json-patch+json' };
const PRECISE = '2026-11-26T12:00:00.123456Z';
const WHOLE = '2026-11-26T12:00:00Z';

const pod: KubeObject = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'timed', namespace: 'default' },
  spec: { containers: [{ name: 'c', image: 'i' }], terminationGracePeriodSeconds: 30 },
  status: {
    phase: 'Running',
    startTime: PRECISE,
    conditions: [{ type: 'Ready', status: 'True', lastProbeTime: null, lastTransitionTime: PRECISE }],
    containerStatuses: [
      {
        name: 'c',
        state: { running: { startedAt: PRECISE } },
        lastState: { terminated: { exitCode: 1, startedAt: PRECISE, finishedAt: PRECISE } },
      },
    ],
  },
};

const lease: KubeObject = {
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name: 'held', namespace: 'default', finalizers: ['example.com/keep'] },
  spec: { acquireTime: PRECISE, renewTime: PRECISE },
};

const event: KubeObject = {
  apiVersion: 'v1',
  kind: 'Event',
  metadata: { name: 'told', namespace: 'default' },
  involvedObject: { kind: 'Pod', name: 'timed', namespace: 'default' },
  firstTimestamp: PRECISE,
  lastTimestamp: PRECISE,
  eventTime: PRECISE,
};

let server: TestServer;

beforeAll(async () => {
  server = await startServer({ objects: [pod, lease, event] });
});

afterAll(() => server.close());

describe('times', () => {
  it('are in whole seconds, in each form of an answer', async () => {
    const { body, text } = await server.get(`${PODS}/timed`);
    expect(body.metadata.creationTimestamp).toMatch(/:\d\dZ$/);
    expect(body.status).toMatchObject({
      startTime: WHOLE,
      conditions: [{ lastTransitionTime: WHOLE }],
      containerStatuses: [
        {
          state: { running: { startedAt: WHOLE } },
          lastState: { terminated: { startedAt: WHOLE, finishedAt: WHOLE } },
        },
      ],
    });
    const list = await server.get(PODS);
    const { apiVersion: _, kind: _kind, ...bare } = JSON.parse(text);
    expect(list.body.items).toEqual([bare]);
    const watch = await server.get(`${PODS}?watch=true&timeoutSeconds=1`);
    expect(watch.text).not.toMatch(/\.\d+Z/);
  });

  it('of Leases and Events that have microseconds keep them', async () => {
    const { body: held } = await server.get(`${LEASES}/held`);
    expect(held.spec).toEqual({ acquireTime: PRECISE, renewTime: PRECISE });
    expect(held.metadata.creationTimestamp).toMatch(/:\d\dZ$/);
    const { body: old } = await server.get('/api/v1/namespaces/default/events/told');
    expect(old).toMatchObject({ firstTimestamp: WHOLE, lastTimestamp: WHOLE, eventTime: PRECISE });
    const { body: told } = await server.get('/apis/events.k8s.io/v1/namespaces/default/events/told');
    expect(told).toMatchObject({ deprecatedFirstTimestamp: WHOLE, eventTime: PRECISE });
  });

  it('stay precise in the store when a client sends back what it has read', async () => {
    const { body } = await server.get(`${PODS}/timed`);
    const put = await server.request('PUT', `${PODS}/timed/status`, body);
    expect(put.body.metadata.resourceVersion).toBe(body.metadata.resourceVersion);
    const message = { status: { message: 'changed' } };
    const dry = await server.request('PATCH', `${PODS}/timed/status?dryRun=All`, message, MERGE);
    expect(dry.body.status).toMatchObject({ ...body.status, message: 'changed' });
    await server.request('PUT', `${PODS}/timed/status`, { ...body, status: { ...body.status, message: 'changed' } });
    expect(server.store.get('pods', 'default', 'timed')).toMatchObject({
      status: { ...(pod['status'] as object), message: 'changed' },
    });
  });

  it('are compared by the test of a JSON patch as they were read', async () => {
    const { body } = await server.get(`${PODS}/timed`);
    const patch = [
      { op: 'test', path: '/status/startTime', value: body.status.startTime },
      { op: 'add', path: '/status/reason', value: 'Patched' },
    ];
    const patched = await server.request('PATCH', `${PODS}/timed/status`, patch, JSON_PATCH);
    expect(patched.body.status.reason).toBe('Patched');
    expect(server.store.get('pods', 'default', 'timed')).toMatchObject({ status: { startTime: PRECISE } });
  });

  it.each([
    ['a value of a wrong type', { metadata: { labels: 'x' } }],
    ['an unknown field', { bogus: 1, metadata: { labels: { a: 'b' } } }],
  ])('are quoted in a refusal as a client reads them, with the managers from before: %s', async (_, patch) => {
    const { body: read } = await server.get(`${PODS}/timed`);
    const { code, text } = await server.request('PATCH', `${PODS}/timed?fieldValidation=Strict`, patch, MERGE);
    expect(code).toBe(422);
    const { message } = JSON.parse(text) as { message: string };
    const [, quoted = ''] = /Invalid value: ("(?:[^"\\]|\\.)*")/.exec(message) ?? [];
    const { metadata, status } = JSON.parse(JSON.parse(quoted) as string) as StoredPod;
    expect({ times: metadata.creationTimestamp, status }).toEqual({
      times: read.metadata.creationTimestamp,
      status: read.status,
    });
    expect(metadata.managedFields).toEqual(read.metadata.managedFields);
  });

  it('of an object that is being deleted can be sent back', async () => {
    await server.request('DELETE', `${LEASES}/held`);
    const { body } = await server.get(`${LEASES}/held`);
    expect(body.metadata.deletionTimestamp).toMatch(/:\d\dZ$/);
    const put = await server.request('PUT', `${LEASES}/held`, { ...body, spec: { holderIdentity: 'me' } });
    expect([put.code, put.body.spec]).toEqual([200, { holderIdentity: 'me' }]);
  });
});
