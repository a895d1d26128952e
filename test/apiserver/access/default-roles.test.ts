import { expect, it } from 'vitest';
import { defaultAccess } from '../../../src/apiserver/access/default-roles.ts';
import { ruleOfLine } from '../../../src/apiserver/access/role-lines.ts';

it('a line is a rule about resources, named objects or paths', () => {
  expect(ruleOfLine('write,get core,events.k8s.io events')).toEqual({
    verbs: ['create', 'delete', 'deletecollection', 'get', 'patch', 'update'],
    apiGroups: ['', 'events.k8s.io'],
    resources: ['events'],
  });
  expect(ruleOfLine('approve certificates.k8s.io signers kubernetes.io/kubelet-serving')).toEqual({
    verbs: ['approve'],
    apiGroups: ['certificates.k8s.io'],
    resources: ['signers'],
    resourceNames: ['kubernetes.io/kubelet-serving'],
  });
  expect(ruleOfLine('get /version,/api/*')).toEqual({ verbs: ['get'], nonResourceURLs: ['/api/*', '/version'] });
});

it('each binding has its role, each name exists once, and a role without rules collects them', () => {
  const all = defaultAccess();
  const keys = all.map(({ resource, object: { metadata } }) => `${resource} ${metadata.namespace} ${metadata.name}`);
  expect(new Set(keys).size).toBe(keys.length);
  const objects = all.map(({ object }) => object);
  const wantedRoles = objects.flatMap(({ metadata, roleRef }) => {
    const { kind, name } = (roleRef ?? { kind: '' }) as { readonly kind: string; readonly name: string };
    return kind === '' ? [] : `${kind.toLowerCase()}s ${kind === 'Role' ? metadata.namespace : undefined} ${name}`;
  });
  expect(wantedRoles.filter((key) => !keys.includes(key))).toEqual([]);
  const empty = objects.filter(({ kind, rules = [] }) => kind.endsWith('Role') && rules.length === 0);
  expect(empty.map(({ metadata, aggregationRule }) => [metadata.name, typeof aggregationRule])).toEqual([
    ['admin', 'object'],
    ['edit', 'object'],
    ['view', 'object'],
  ]);
});
