import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { KubeObject, WatchEvent } from '../../src/api/base/objects.ts';
import { objectPath } from '../../src/store/base/layout.ts';

import { ManualClock } from '../../src/simulation/manual-clock.ts';
import { newEvent, newPod } from './objects.ts';
import { newPlace, openStore, PLACES, temporaryFolder } from './temporary-store.ts';

const newConfigMap = (name: string, namespace = 'default'): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace },
  data: { key: 'value' },
});

const KINDS = [
  { resource: 'pods', make: (name: string, namespace = 'default') => newPod(name, { namespace }) },
  { resource: 'configmaps', make: newConfigMap },
  { resource: 'events', make: (name: string, namespace = 'default') => newEvent(name, 'gone', 'text', namespace) },
].flatMap((kind) => PLACES.map((place) => ({ ...kind, place })));

describe.each(KINDS)('the store of $resource in $place', ({ resource, make, place }) => {
  it('fills in what the API server fills in', () => {
    const store = newPlace(place)(new ManualClock(Date.UTC(2026, 10, 20, 20, 1, 2)));
    const { metadata } = store.create(resource, make('a'));
    expect(metadata).toMatchObject({ name: 'a', namespace: 'default' });
    expect(metadata.generation).toBe(resource === 'pods' ? 1 : undefined);
    expect(metadata.uid).toMatch(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/);
    expect(metadata.creationTimestamp).toBe('2026-11-20T20:01:02.000000Z');
    expect(Number(metadata.resourceVersion)).toBeGreaterThanOrEqual(Date.UTC(2026, 10, 20, 20, 1, 2) * 1000);
  });

  it('gives back what was stored, to every store', () => {
    const open = newPlace(place);
    const created = open().create(resource, make('a'));
    expect(open().get(resource, 'default', 'a')).toEqual(created);
    expect(open().get(resource, 'default', 'b')).toBeUndefined();
  });

  it('lists by namespace, then name, within the scope', () => {
    const store = newPlace(place)();
    for (const [namespace, name] of [
      ['b', 'x'],
      ['a', 'z'],
      ['a', 'y.z'],
      ['a', 'y-z'],
    ] as const) {
      store.create(resource, make(name, namespace));
    }
    const names = (scope = {}): string[] =>
      store.list(resource, scope).map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
    expect(names()).toEqual(['a/y-z', 'a/y.z', 'a/z', 'b/x']);
    expect(names({ namespace: 'a' })).toEqual(['a/y-z', 'a/y.z', 'a/z']);
    expect(names({ namespace: 'a', name: 'z' })).toEqual(['a/z']);
    expect(names({ namespace: 'none' })).toEqual([]);
  });

  it('refuses a second object of that name', () => {
    const store = newPlace(place)();
    store.create(resource, make('a'));
    expect(() => store.create(resource, make('a'))).toThrow(`${resource} "a" already exists`);
  });

  it('refuses to change a missing object', () => {
    const store = newPlace(place)();
    expect(() => store.update(resource, make('a'))).toThrow(`${resource} "a" not found`);
    expect(store.delete(resource, 'default', 'a')).toBeUndefined();
  });

  it('keeps what names an object for good, and gives each change a later version', () => {
    const store = newPlace(place)(new ManualClock());
    const created = store.create(resource, make('a'));
    const changed = store.update(resource, {
      ...make('a'),
      metadata: { name: 'a', namespace: 'default', labels: { a: 'b' } },
    });
    expect(changed.metadata).toMatchObject({ uid: created.metadata.uid, labels: { a: 'b' } });
    expect(changed.metadata).toMatchObject({ creationTimestamp: created.metadata.creationTimestamp });
    const { resourceVersion = '' } = changed.metadata as { resourceVersion?: string };
    expect(Number(resourceVersion)).toBeGreaterThan(Number(created.metadata.resourceVersion));
    expect(store.get(resource, 'default', 'a')).toEqual(changed);
  });

  it('refuses a change to an older version, and to another object of that name', () => {
    const store = newPlace(place)();
    const first = store.create(resource, make('a'));
    store.update(resource, first);
    expect(() => store.update(resource, first)).toThrow(expect.objectContaining({ code: 'Conflict' }));
    expect(() => store.update(resource, first)).toThrow(
      `Operation cannot be fulfilled on ${resource} "a": the object has been modified; ` +
        'please apply your changes to the latest version and try again',
    );
    const other = { ...first, metadata: { ...first.metadata, uid: 'other', resourceVersion: '' } };
    expect(() => store.update(resource, other)).toThrow('Precondition failed: UID in precondition: other');
  });

  it('returns the last state of what it removes', () => {
    const store = newPlace(place)();
    const created = store.create(resource, make('a'));
    const removed = store.delete(resource, 'default', 'a');
    expect(removed).toMatchObject({ metadata: { uid: created.metadata.uid } });
    expect(Number(removed?.metadata.resourceVersion)).toBeGreaterThan(Number(created.metadata.resourceVersion));
    expect(store.list(resource)).toEqual([]);
    expect(store.create(resource, make('a')).metadata.uid).not.toBe(created.metadata.uid);
  });

  it('reports each change once, after the objects that exist', () => {
    const store = newPlace(place)();
    const seen: string[] = [];
    store.create(resource, make('a'));
    const listener = ({ type, object: { metadata } }: WatchEvent): void => {
      seen.push(`${type} ${metadata.namespace}/${metadata.name}`);
    };
    const watching = store.watch(resource, {}, listener, { replay: true });
    const { metadata } = store.create(resource, make('b', 'other'));
    store.update(resource, { ...make('b', 'other'), metadata: { ...metadata, labels: { a: 'b' } } });
    store.delete(resource, 'default', 'a');
    watching.close();
    store.create(resource, make('c'));
    expect(seen).toEqual(['ADDED default/a', 'ADDED other/b', 'MODIFIED other/b', 'DELETED default/a']);
  });

  it('gives each reader an object of its own', () => {
    const store = newPlace(place)();
    store.create(resource, make('a'));
    store.get(resource, 'default', 'a')!.metadata.labels = { changed: 'yes' };
    expect(store.get(resource, 'default', 'a')!.metadata.labels).toBeUndefined();
  });

  it('refuses a name that no file may have', () => {
    const store = newPlace(place)();
    expect(() => store.get(resource, 'default', 'a/b')).toThrow(`invalid resource name "a/b": [may not contain '/']`);
    expect(() => store.create(resource, make('..'))).toThrow(`invalid resource name "..": [may not be '..']`);
  });

  it('stores the longest name that Kubernetes allows', () => {
    const store = newPlace(place)();
    const name = `a.${'b'.repeat(251)}`;
    store.create(resource, make(name));
    expect(store.list(resource).map(({ metadata }) => metadata.name)).toEqual([name]);
  });
});

describe('files', () => {
  it('are for their user only', () => {
    const root = path.join(temporaryFolder(), 'state');
    const store = openStore(root);
    store.create('secrets', { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, data: { p: 'cA==' } });
    store.create('pods', newPod('web'));
    const entries = readdirSync(root, { recursive: true, withFileTypes: true });
    // A symbolic link has no mode.
    const open = entries.filter((entry) => {
      if (entry.isSymbolicLink()) return false;
      const { mode } = statSync(path.join(entry.parentPath, entry.name));
      return (mode & 0o777) !== (entry.isDirectory() ? 0o700 : 0o600);
    });
    expect(statSync(root).mode & 0o777).toBe(0o700);
    expect(open.map(({ name }) => name)).toEqual([]);
  });

  it('that a crash cut short are skipped', () => {
    const root = temporaryFolder();
    const store = openStore(root);
    store.create('configmaps', newConfigMap('a'));
    writeFileSync(path.join(root, 'configmaps/default/.tmp-1-1'), '{"half":');
    expect(openStore(root).list('configmaps')).toHaveLength(1);
  });

  it('that a power failure emptied count as missing', () => {
    const root = temporaryFolder();
    const store = openStore(root);
    store.create('configmaps', newConfigMap('a'));
    writeFileSync(objectPath(root, 'configmaps', 'default', 'a'), '');
    expect(store.get('configmaps', 'default', 'a')).toBeUndefined();
    expect(store.create('configmaps', newConfigMap('a'))).toMatchObject({ data: { key: 'value' } });
  });

  it('leave no lock behind', () => {
    const root = temporaryFolder();
    const store = openStore(root);
    store.create('pods', newPod('web'));
    expect(() => store.create('pods', newPod('web'))).toThrow('already exists');
    expect(existsSync(path.join(root, '.locks/pods/default/web'))).toBe(false);
  });
});

describe.each(PLACES)('first objects in %s', (place) => {
  const first = [newConfigMap('a', 'kube-system'), newConfigMap('b', 'kube-system')];

  it('are stored together, as single ones are', () => {
    const open = newPlace(place);
    const store = open();
    store.createFirst('configmaps', 'kube-system', () => first);
    const stored = open().list('configmaps');
    expect(stored.map(({ metadata }) => metadata.name)).toEqual(['a', 'b']);
    expect(new Set(stored.map(({ metadata }) => metadata.uid)).size).toBe(2);
    const key = { namespace: 'kube-system', name: 'b' };
    const changed = store.change('configmaps', key, 'object', (present) => ({ ...present, data: {} }));
    expect(open().get('configmaps', 'kube-system', 'b')).toEqual(changed);
  });

  it('are not stored where some are already, which stay', () => {
    const open = newPlace(place);
    const present = open().create('configmaps', newConfigMap('c', 'kube-system'));
    let made = 0;
    open().createFirst('configmaps', 'kube-system', () => ((made += 1), first));
    expect([open().list('configmaps'), made]).toEqual([[present], 0]);
  });
});

it('first objects leave nothing behind in the staging folder, and are files of their user', () => {
  const root = temporaryFolder();
  const first = [newConfigMap('a'), newConfigMap('b')];
  for (let time = 0; time < 2; time++) openStore(root).createFirst('configmaps', 'default', () => first);
  expect(readdirSync(path.join(root, '.staging'))).toEqual([]);
  const { mode, mtimeMs } = statSync(objectPath(root, 'configmaps', 'default', 'a'));
  expect(mode & 0o777).toBe(0o600);
  const { metadata } = openStore(root).get('configmaps', 'default', 'a') ?? newConfigMap('none');
  expect(String(Math.round(mtimeMs * 1000))).toBe(metadata.resourceVersion);
});

it.each(PLACES)('Events outside of Pods that are old are found in %s', (place) => {
  const clock = new ManualClock(Date.UTC(2026, 10, 20));
  const store = newPlace(place)(clock);
  store.create('events', newEvent('old', 'gone', 'text'));
  clock.advance(5000);
  store.create('events', newEvent('new', 'gone', 'text'));
  expect(store.eventsUnchangedSince(Date.UTC(2026, 10, 20) + 1000)).toEqual([{ namespace: 'default', name: 'old' }]);
});

describe('objects that belong to no namespace', () => {
  const priorityClass = { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name: 'high' } };

  it('are stored and reported without one', () => {
    const root = temporaryFolder();
    const store = openStore(root);
    const seen: KubeObject[] = [];
    store.watch('priorityclasses', {}, ({ object }) => seen.push(object));
    const created = store.create('priorityclasses', priorityClass);
    const changed = store.change('priorityclasses', { namespace: 'default', name: 'high' }, 'object', (stored) => {
      return { ...stored, value: 7 };
    });
    expect(seen).toEqual([created, changed]);
    expect(seen.flatMap(({ metadata }) => Object.keys(metadata))).not.toContain('namespace');
    expect(store.delete('priorityclasses', 'default', 'high')).toMatchObject({ value: 7 });
    expect(store.list('priorityclasses')).toEqual([]);
  });

  it('that an older podrun has stored in the namespace default have none either', () => {
    const root = temporaryFolder();
    const store = openStore(root);
    store.create('priorityclasses', priorityClass);
    const file = objectPath(root, 'priorityclasses', 'default', 'high');
    const stored = JSON.parse(readFileSync(file, 'utf8')) as KubeObject;
    const { metadata } = stored;
    writeFileSync(file, JSON.stringify({ ...stored, metadata: { ...metadata, namespace: 'default' } }));
    expect(openStore(root).get('priorityclasses', 'default', 'high')).toEqual(stored);
    expect(openStore(root).list('priorityclasses')).toEqual([stored]);
  });
});
