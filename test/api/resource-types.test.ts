import { expect, it } from 'vitest';
import { everyKnownType, everyResourceType, resourceTypeNamed, resourceTypeOf } from '../../src/api/index.ts';
import { BUILT_IN_RESOURCES } from '../../src/apiserver/index.ts';

/** Kinds that the server serves in a second version, too: the verbs know the stored one. */
const SECOND_VERSIONS = new Set(['autoscaling/v1 HorizontalPodAutoscaler', 'events.k8s.io/v1 Event']);

it('the verbs know each kind that the server stores, by the names that it serves', () => {
  const served = BUILT_IN_RESOURCES.filter(({ storage }) => storage !== '')
    .map(({ group, version, kind, plural, shortNames, isNamespaced }) => ({
      apiVersion: group === '' ? version : `${group}/${version}`,
      kind,
      plural,
      aliases: [kind.toLowerCase(), ...shortNames],
      isNamespaced,
    }))
    .filter(({ apiVersion, kind }) => !SECOND_VERSIONS.has(`${apiVersion} ${kind}`));
  const known = everyKnownType().map(({ apiVersion, kind, plural, aliases, isNamespaced }) => {
    return { apiVersion, kind, plural, aliases, isNamespaced };
  });
  const byKind = (a: { kind: string }, b: { kind: string }): number => (a.kind < b.kind ? -1 : 1);
  expect(known.toSorted(byKind)).toEqual(served.toSorted(byKind));
});

it.each([
  ['po', 'Pod'],
  ['Deployments.v1.apps', 'Deployment'],
  ['sc', 'StorageClass'],
  ['roles.rbac.authorization.k8s.io', 'Role'],
  ['roles.apps', undefined],
])('%s names %s', (word, kind) => {
  expect(resourceTypeNamed(word)?.kind).toBe(kind);
});

it('a kind that nothing here knows has a plural by rule', () => {
  expect(resourceTypeOf({ apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass' }).plural).toBe('storageclasses');
  expect(resourceTypeOf({ apiVersion: 'example.com/v1', kind: 'Thing' }).plural).toBe('things');
  expect(everyResourceType().some(({ kind }) => kind === 'StorageClass')).toBe(false);
});
