import type { Container, Pod, PodSpec, ServiceAccount, Volume } from '../../api/index.ts';

/** The folder in which programs look for the credentials of their ServiceAccount. */
const FOLDER = '/var/run/secrets/kubernetes.io/serviceaccount';
const VOLUME = 'kube-api-access-';
/** An hour, and the seconds by which the API server knows tokens that it may let live longer. */
const TOKEN_SECONDS = 3607;
const READABLE = 0o644;

/** True for the name of the volume with the credentials of a ServiceAccount. */
export function isApiAccess(volume: string): boolean {
  return volume.startsWith(VOLUME);
}

/**
 * Gives a Pod its ServiceAccount, and its containers the token of it. Source: plugin/pkg/admission/serviceaccount,
 * mountServiceAccountToken and TokenVolumeSource.
 * @param suffix makes the random end of the name of the volume
 */
export function withServiceAccount<T extends Pod>(
  pod: T,
  account: ServiceAccount | undefined,
  suffix: () => string,
): T {
  if (pod.spec === undefined) return pod;
  const name = pod.spec.serviceAccountName || 'default';
  const spec = { ...pod.spec, serviceAccountName: name, serviceAccount: name };
  const isWanted = spec.automountServiceAccountToken ?? account?.automountServiceAccountToken ?? true;
  return { ...pod, spec: isWanted ? withToken(spec, suffix) : spec };
}

function withToken(spec: PodSpec, suffix: () => string): PodSpec {
  const { volumes = [], containers, initContainers } = spec;
  const present = volumes.find(({ name }) => isApiAccess(name))?.name;
  const volume = present ?? VOLUME + suffix();
  const all = [...(initContainers ?? []), ...containers];
  if (all.every(hasToken)) return spec;
  const mounted = <C extends Container>(container: C): C =>
    hasToken(container) ? container : mounting(container, volume);
  return {
    ...spec,
    containers: containers.map(mounted),
    ...(initContainers && { initContainers: initContainers.map(mounted) }),
    volumes: present === undefined ? [...volumes, accessVolume(volume)] : volumes,
  };
}

function hasToken({ volumeMounts = [] }: Container): boolean {
  return volumeMounts.some(({ mountPath }) => mountPath === FOLDER);
}

function mounting<C extends Container>(container: C, name: string): C {
  const { volumeMounts = [] } = container;
  return { ...container, volumeMounts: [...volumeMounts, { name, readOnly: true, mountPath: FOLDER }] };
}

function accessVolume(name: string): Volume {
  const fieldRef = { apiVersion: 'v1', fieldPath: 'metadata.namespace' };
  const sources = [
    { serviceAccountToken: { expirationSeconds: TOKEN_SECONDS, path: 'token' } },
    { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
    { downwardAPI: { items: [{ path: 'namespace', fieldRef }] } },
  ];
  return { name, projected: { sources, defaultMode: READABLE } };
}
