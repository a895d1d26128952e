import { expect, it } from 'vitest';
import type { Pod, PodSpec } from '../../../src/api/generated/types.ts';
import { isApiAccess, withServiceAccount } from '../../../src/manifest/admission/service-account.ts';

const FOLDER = '/var/run/secrets/kubernetes.io/serviceaccount';
const main = { name: 'main', image: 'busybox' };
const podOf = (spec: Partial<PodSpec> = {}): Pod => ({
  metadata: { name: 'web' },
  spec: { containers: [main], ...spec },
});
const admitted = (spec?: Partial<PodSpec>, account = {}): PodSpec | undefined =>
  withServiceAccount(podOf(spec), account, () => 'abcde').spec;

it('every container of a Pod gets the credentials of its ServiceAccount', () => {
  const spec = admitted({ initContainers: [{ name: 'first', image: 'busybox' }] });
  const mount = { name: 'kube-api-access-abcde', readOnly: true, mountPath: FOLDER };
  expect(spec?.containers[0]?.volumeMounts).toEqual([mount]);
  expect(spec?.initContainers?.[0]?.volumeMounts).toEqual([mount]);
  expect(spec).toMatchObject({ serviceAccountName: 'default', serviceAccount: 'default' });
  expect(spec?.volumes?.map(({ name }) => isApiAccess(name))).toEqual([true]);
});

it.each<[Partial<PodSpec>, object, boolean]>([
  [{ automountServiceAccountToken: false }, {}, false],
  [{}, { automountServiceAccountToken: false }, false],
  [{ automountServiceAccountToken: true }, { automountServiceAccountToken: false }, true],
])('the Pod decides before its account: %j %j', (spec, account, isMounted) => {
  expect(admitted(spec, account)?.volumes !== undefined).toBe(isMounted);
});

it('a container that mounts something there keeps it', () => {
  const volumeMounts = [{ name: 'own', mountPath: FOLDER }];
  const spec = admitted({ containers: [{ ...main, volumeMounts }] });
  expect([spec?.containers[0]?.volumeMounts, spec?.volumes]).toEqual([volumeMounts, undefined]);
});
