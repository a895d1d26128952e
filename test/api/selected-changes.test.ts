import { expect, it } from 'vitest';
import type { StoredKubeObject, WatchEvent } from '../../src/api/base/objects.ts';
import { SelectedChanges } from '../../src/api/select/selected-changes.ts';

function change(type: WatchEvent['type'], app: string, uid = '1'): WatchEvent<StoredKubeObject> {
  const metadata = {
    name: 'web',
    namespace: 'default',
    uid,
    resourceVersion: '1',
    creationTimestamp: '',
    labels: { app },
  };
  return { type, object: { apiVersion: 'v1', kind: 'Pod', metadata } };
}

it('an object that begins to match is added, one that no longer does is deleted', () => {
  const changes = new SelectedChanges(({ metadata }) => metadata.labels?.['app'] === 'web');
  const shown = (...seen: WatchEvent<StoredKubeObject>[]) => seen.map((one) => changes.select(one)?.type ?? '-');
  expect(shown(change('ADDED', 'api'), change('MODIFIED', 'api'), change('MODIFIED', 'web'))).toEqual([
    '-',
    '-',
    'ADDED',
  ]);
  expect(shown(change('MODIFIED', 'web'), change('MODIFIED', 'api'), change('DELETED', 'api'))).toEqual([
    'MODIFIED',
    'DELETED',
    '-',
  ]);
  expect(shown(change('ADDED', 'web', '2'), change('DELETED', 'web', '2'), change('ADDED', 'web', '3'))).toEqual([
    'ADDED',
    'DELETED',
    'ADDED',
  ]);
});
