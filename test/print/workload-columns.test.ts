import { describe, expect, it } from 'vitest';
import type { KubeObject, StoredKubeObject } from '../../src/api/base/objects.ts';
import { columnsOf } from '../../src/print/table/resource-columns.ts';
import { at, NOW_MS } from './pods.ts';

/** The cells of an object by their headings. */
function cellsOf(resource: string, fields: Partial<KubeObject>): Readonly<Record<string, string>> {
  const metadata = { name: 'x', namespace: 'default', uid: 'u', resourceVersion: '1', creationTimestamp: at(-60) };
  const object = { ...fields, metadata: { ...metadata, ...fields.metadata } } as StoredKubeObject;
  return Object.fromEntries(columnsOf(resource).map((column) => [column.heading, column.cell(object, NOW_MS)]));
}

const template = { spec: { containers: [{ name: 'main' }, { name: 'proxy' }] } };

describe('the columns of Jobs', () => {
  const job = (spec: object, status: object = {}, metadata = {}): Readonly<Record<string, string>> =>
    cellsOf('jobs', { spec: { template, ...spec }, status, metadata });
  const conditions = (...types: string[]): object => ({
    conditions: types.map((text) => ({ type: text.replace('!', ''), status: text.endsWith('!') ? 'False' : 'True' })),
  });

  it.each<[types: string[], deleted: boolean, status: string]>([
    [[], false, 'Running'],
    [['Suspended!'], false, 'Running'],
    [['SuccessCriteriaMet'], false, 'SuccessCriteriaMet'],
    [['SuccessCriteriaMet', 'Complete'], false, 'Complete'],
    [['FailureTarget'], false, 'FailureTarget'],
    [['FailureTarget', 'Failed'], false, 'Failed'],
    [['Suspended'], true, 'Terminating'],
    [['Complete'], true, 'Complete'],
  ])('with the conditions %j, deleted: %s, have the status %s', (types, isDeleted, status) => {
    const metadata = isDeleted ? { deletionTimestamp: at(0) } : {};
    expect(job({}, conditions(...types), metadata)['STATUS']).toBe(status);
  });

  it.each([
    [{ completions: 5 }, { succeeded: 2 }, '2/5'],
    [{ parallelism: 1 }, {}, '0/1'],
    [{ parallelism: 3 }, { succeeded: 1 }, '1/1 of 3'],
  ])('of the spec %j with the status %j show the completions %s', (spec, status, completions) => {
    expect(job(spec, status)['COMPLETIONS']).toBe(completions);
  });

  it.each([
    [{}, ''],
    [{ startTime: at(-30) }, '30s'],
    [{ startTime: at(-30), completionTime: at(-10) }, '20s'],
  ])('with the status %j show the duration %j', (status, duration) => {
    expect(job({}, status)['DURATION']).toBe(duration);
  });
});

it('the columns of a CronJob show when it last ran, and how many Jobs run', () => {
  const spec = { schedule: '@daily', suspend: true, jobTemplate: { spec: { template } } };
  const status = { active: [{}, {}], lastScheduleTime: at(-5) };
  expect(cellsOf('cronjobs', { spec, status })).toMatchObject({
    SCHEDULE: '@daily',
    TIMEZONE: '<none>',
    SUSPEND: 'True',
    ACTIVE: '2',
    'LAST SCHEDULE': '5s',
    CONTAINERS: 'main,proxy',
    SELECTOR: '<none>',
  });
  expect(cellsOf('cronjobs', { spec: { ...spec, suspend: undefined } })).toMatchObject({
    SUSPEND: '<unset>',
    'LAST SCHEDULE': '<none>',
  });
});

it('a workload without a status has counts of zero, and one replica by default', () => {
  const spec = { template, selector: { matchLabels: { b: '2', a: '1' } } };
  expect(cellsOf('deployments', { spec })).toMatchObject({ READY: '0/1', AVAILABLE: '0', SELECTOR: 'a=1,b=2' });
  expect(cellsOf('statefulsets', { spec })).toMatchObject({ READY: '0/1' });
  expect(cellsOf('replicasets', { spec })).toMatchObject({ DESIRED: '1', CURRENT: '0', READY: '0' });
  const onSsd = { spec: { ...template.spec, nodeSelector: { disk: 'ssd' } } };
  expect(cellsOf('daemonsets', { spec: { template: onSsd } })).toMatchObject({
    DESIRED: '0',
    'NODE SELECTOR': 'disk=ssd',
  });
});

it('a ControllerRevision names its controller', () => {
  const owner = { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'db', uid: 'u', controller: true };
  const metadata = { name: 'db-1', ownerReferences: [owner] };
  expect(cellsOf('controllerrevisions', { metadata, revision: 2 })).toMatchObject({
    CONTROLLER: 'statefulset.apps/db',
    REVISION: '2',
  });
  expect(cellsOf('controllerrevisions', { revision: 1 })['CONTROLLER']).toBe('<none>');
});

it('an EndpointSlice shows three ports and addresses, and how many more there are', () => {
  const slice = {
    addressType: 'IPv4',
    ports: [{ port: 80 }, { name: 'all' }, {}, { port: 81 }],
    endpoints: [{ addresses: ['1.1.1.1', '1.1.1.2'] }, { addresses: ['1.1.1.3', '1.1.1.4', '1.1.1.5'] }],
  };
  expect(cellsOf('endpointslices', slice)).toMatchObject({
    PORTS: '80,all,* + 1 more...',
    ENDPOINTS: '1.1.1.1,1.1.1.2,1.1.1.3 + 2 more...',
  });
  expect(cellsOf('endpointslices', { addressType: 'IPv4' })).toMatchObject({ PORTS: '<unset>', ENDPOINTS: '<unset>' });
});

it('a kind of a user has name and age, whatever its name is', () => {
  expect(Object.keys(cellsOf('constructor', {}))).toEqual(['NAME', 'AGE']);
});
