import { describe, expect, it } from 'vitest';
import {
  type AccessRequest,
  mayUse,
  permittedUsers,
  VERIFICATION_POLICIES,
  type VerificationPolicy,
  withAccess,
} from '../../../src/lifecycle/images/access.ts';
import type { CredentialOrigin } from '../../../src/lifecycle/base/image-types.ts';

const secret = (name: string, hash: string): CredentialOrigin => ({
  type: 'secret',
  uid: `uid-${name}`,
  namespace: 'default',
  name,
  hash,
});
const KEY = secret('key', 'h1');
const repository = 'reg.example/team/app';
const pulled = withAccess(undefined, repository, KEY);

function may(change: Partial<AccessRequest>, policy: VerificationPolicy = 'NeverVerifyPreloadedImages'): boolean {
  const request = { repository, access: pulled, isInterrupted: false, origins: [], ...change };
  return mayUse(request, { policy, allowlist: ['reg.example/team/*', 'reg.example/one'] });
}

describe('a present image', () => {
  it.each([
    ['with the Secret that has brought it', { origins: [KEY] }, true],
    ['with the same credential in another Secret', { origins: [secret('other', 'h1')] }, true],
    ['with the same Secret and a new credential', { origins: [secret('key', 'h2')] }, true],
    ['with another Secret', { origins: [secret('other', 'h2')] }, false],
    ['without a Secret', {}, false],
    ['from another repository', { repository: 'reg.example/team/copy', origins: [KEY] }, false],
    ['pulled by the node', { access: withAccess(pulled, repository, { type: 'node' }) }, true],
    ['pulled without a credential', { access: withAccess(undefined, repository, undefined) }, true],
    ['of an interrupted pull', { access: undefined, isInterrupted: true, origins: [KEY] }, false],
  ] as const)('%s', (_what, change, want) => {
    expect(may(change)).toBe(want);
  });

  it.each([
    ['that no Pod has pulled', { access: undefined }, [true, true, true, false]],
    ['that is not on the list', { access: undefined, repository: 'reg.example/two' }, [true, true, false, false]],
    ['that is on the list', { access: undefined, repository: 'reg.example/one' }, [true, true, true, false]],
    ['that was pulled', {}, [true, false, false, false]],
  ] as const)('%s, by policy', (_what, change, want) => {
    expect(VERIFICATION_POLICIES.map((policy) => may(change, policy))).toEqual(want);
  });
});

it('the access of an image grows, and is never taken away from all', () => {
  const two = withAccess(pulled, repository, secret('other', 'h2'));
  expect(may({ access: two, origins: [KEY] })).toBe(true);
  const renewed = withAccess(two, repository, secret('key', 'h9'));
  expect(renewed[repository]).toMatchObject({
    kubernetesSecrets: [{ name: 'other' }, { name: 'key', credentialHash: 'h9' }],
  });
  const forAll = withAccess(two, repository, undefined);
  expect(withAccess(forAll, repository, KEY)).toEqual(forAll);
  let many = pulled;
  for (let number = 0; number < 150; number += 1) many = withAccess(many, repository, secret(`s${number}`, 'h'));
  expect(many[repository]).toMatchObject({ kubernetesSecrets: { length: 100 } });
});

it.each([
  [undefined, false, ['every Pod']],
  [undefined, true, []],
  [{ 'docker.io/library/a': { nodePodsAccessible: true } }, false, ['every Pod']],
  [
    { a: { kubernetesSecrets: [{ uid: '1', namespace: 'default', name: 'pull', credentialHash: 'x' }] } },
    false,
    ['Pods with the Secret default/pull'],
  ],
] as const)('the Pods that may use an image with the record %j', (access, isInterrupted, users) => {
  expect(permittedUsers(access, isInterrupted)).toEqual(users);
});
