import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { KubeObject, StoredPod } from '../../src/api/base/objects.ts';
import { newEvent, newPod } from './objects.ts';
import { openStore, temporaryFolder } from './temporary-store.ts';

const WEB = { namespace: 'default', name: 'web' };
const labelled = <T extends { metadata: object }>(object: T): T => ({
  ...object,
  metadata: { ...object.metadata, labels: { a: 'b' } },
});
const configMap: KubeObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { ...WEB }, data: { n: '0' } };

const KINDS = [
  { resource: 'pods', object: newPod('web') },
  { resource: 'configmaps', object: configMap },
  { resource: 'events', object: newEvent('web', 'gone', 'text') },
];

describe.each(KINDS)('changing one of $resource', ({ resource, object }) => {
  it('stores what comes of what was stored, in a later version', () => {
    const store = openStore(temporaryFolder());
    const created = store.create(resource, object as KubeObject);
    const changed = store.change(resource, WEB, 'object', labelled);
    expect(changed).toEqual(store.get(resource, 'default', 'web'));
    expect(changed.metadata.labels).toEqual({ a: 'b' });
    expect(Number(changed.metadata.resourceVersion)).toBeGreaterThan(Number(created.metadata.resourceVersion));
  });

  it('finds what was stored, whatever the caller did to its own object since, or another store to the file', () => {
    const root = temporaryFolder();
    const [store, other] = [openStore(root), openStore(root)];
    const labels = (stored: KubeObject): object | undefined => stored.metadata.labels;
    const seen: unknown[] = [];
    const seeing = (stored: KubeObject): KubeObject => {
      seen.push(labels(stored));
      return labelled(stored);
    };
    Object.assign(store.create(resource, object as KubeObject).metadata, { labels: { own: 'x' } });
    const changed = store.change(resource, WEB, 'object', seeing);
    Object.assign(changed.metadata.labels ?? {}, { own: 'x' });
    store.change(resource, WEB, 'object', seeing);
    other.change(resource, WEB, 'object', (stored) => ({
      ...stored,
      metadata: { ...stored.metadata, labels: { by: 'other' } },
    }));
    store.change(resource, WEB, 'object', seeing);
    expect(seen).toEqual([undefined, { a: 'b' }, { by: 'other' }]);
  });

  it('into the same writes nothing', () => {
    const store = openStore(temporaryFolder());
    const created = store.create(resource, object as KubeObject);
    const same = store.change(resource, WEB, 'object', (stored) => ({ ...structuredClone(stored), none: undefined }));
    expect(same.metadata.resourceVersion).toBe(created.metadata.resourceVersion);
  });

  it('that is another one by now, or in another version, is refused', () => {
    const store = openStore(temporaryFolder());
    store.create(resource, object as KubeObject);
    const withMeta = (more: object) => (stored: KubeObject) =>
      labelled({ ...stored, metadata: { ...stored.metadata, ...more } });
    expect(() => store.change(resource, WEB, 'object', withMeta({ resourceVersion: '1' }))).toThrow(
      'has been modified',
    );
    expect(() => store.change(resource, WEB, 'object', withMeta({ uid: 'other' }))).toThrow('Precondition failed');
    expect(store.get(resource, 'default', 'web')?.metadata.labels).toBeUndefined();
  });

  it('that is not there is refused', () => {
    const change = () => openStore(temporaryFolder()).change(resource, WEB, 'object', labelled);
    expect(change).toThrow(`${resource} "web" not found`);
  });
});

it('a change of one part leaves the other alone, whatever it returns', () => {
  const store = openStore(temporaryFolder());
  store.create('pods', newPod('web'));
  const both = (pod: StoredPod): StoredPod => labelled({ ...pod, status: { phase: 'Running' } });
  expect(store.change('pods', WEB, 'status', both).metadata.labels).toBeUndefined();
  expect(store.change('pods', WEB, 'object', (pod: StoredPod) => labelled({ ...pod, status: {} }))).toMatchObject({
    metadata: { labels: { a: 'b' } },
    status: { phase: 'Running' },
  });
});

it('a change that fails leaves everything unchanged, and the object open to other writers', () => {
  const store = openStore(temporaryFolder());
  const { uid } = store.create('pods', newPod('web')).metadata;
  const log = () => readFileSync(store.paths('default', 'web').transitions, 'utf8');
  const before = log();
  const fail = (): never => {
    throw new Error('no');
  };
  expect(() => store.change('pods', WEB, 'object', fail)).toThrow('no');
  expect(log()).toBe(before);
  expect(openStore(store.root).change('pods', WEB, 'object', labelled).metadata.uid).toBe(uid);
});

describe('binding a Pod', () => {
  const bind = (pod: StoredPod): StoredPod => ({
    ...pod,
    spec: { ...pod.spec, nodeName: 'here' },
    status: { ...pod.status, message: 'bound' },
  });

  it('changes object and status in one line, in one version', () => {
    const store = openStore(temporaryFolder());
    store.create('pods', newPod('web'));
    const seen: unknown[] = [];
    store.watch('pods', {}, (event) => seen.push(event));
    const bound = store.bind(WEB, bind);
    expect(bound).toMatchObject({ spec: { nodeName: 'here' }, status: { message: 'bound' } });
    expect(seen).toEqual([{ type: 'MODIFIED', object: bound }]);
    expect(openStore(store.root).get('pods', 'default', 'web')).toEqual(bound);
  });

  it('that is another one by now is refused', () => {
    const store = openStore(temporaryFolder());
    store.create('pods', newPod('web'));
    const other = (pod: StoredPod): StoredPod => bind({ ...pod, metadata: { ...pod.metadata, uid: 'other' } });
    expect(() => store.bind(WEB, other)).toThrow('Precondition failed');
    expect(store.get<StoredPod>('pods', 'default', 'web')?.spec.nodeName).toBeUndefined();
  });
});
