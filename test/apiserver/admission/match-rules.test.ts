import { describe, expect, it } from 'vitest';
import type { AdmissionRequest } from '../../../src/apiserver/admission/admission-request.ts';
import { isMatched, type AdmissionMatch } from '../../../src/apiserver/admission/match-rules.ts';
import { DEPLOYMENTS, requestOf } from './request-of.ts';

const rule = (change: object): AdmissionMatch => ({ rules: [{ ...DEPLOYMENTS, ...change }] });

describe('the rules of a webhook', () => {
  it.each<[string, AdmissionMatch, Partial<AdmissionRequest>, boolean]>([
    ['the write that they name', rule({}), {}, true],
    ['no other operation', rule({}), { operation: 'DELETE' }, false],
    ['no other group', rule({ apiGroups: [''] }), {}, false],
    ['everything', rule({ operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*'] }), {}, true],
    ['no subresource that they do not name', rule({ resources: ['*'] }), { subresource: 'status' }, false],
    ['all subresources', rule({ resources: ['deployments/*'] }), { subresource: 'status' }, true],
    ['one subresource', rule({ resources: ['deployments/scale'] }), { subresource: 'status' }, false],
    ['objects in namespaces only', rule({ scope: 'Namespaced' }), { namespace: undefined }, false],
    ['namespaces by label', { ...rule({}), namespaceSelector: { matchLabels: { env: 'prod' } } }, {}, false],
    ['objects by label', { ...rule({}), objectSelector: { matchLabels: { app: 'web' } } }, {}, true],
    ['nothing that is excluded', { ...rule({}), excluded: [{ ...DEPLOYMENTS, resourceNames: ['web'] }] }, {}, false],
  ])('select %s', (_, match, change, isSelected) => {
    expect(isMatched(match, requestOf(change))).toBe(isSelected);
  });
});
