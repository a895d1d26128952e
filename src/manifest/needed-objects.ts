import type { KubeObject, PodSpec } from '../api/index.ts';
import { podIn } from './base/pod-specs.ts';

/** An object that a Pod reads. */
export interface NeededObject {
  readonly kind: 'ConfigMap' | 'Secret' | 'PersistentVolumeClaim';
  readonly name: string;
}

/** The ConfigMap that every namespace has. */
const ROOT_CERTIFICATE = 'kube-root-ca.crt';

/** The objects whose data an object's Pods read, each once: variables, volumes, credentials for images. */
export function neededObjects(object: KubeObject): readonly NeededObject[] {
  const spec = podIn(object)?.pod.spec as PodSpec | undefined;
  if (spec === undefined) return [];
  const needs = [...ofVolumes(spec), ...neededForVariables(spec)];
  needs.push(...(spec.imagePullSecrets ?? []).map(({ name }) => needed('Secret', name)));
  const real = needs.filter(({ name }) => name !== '' && name !== ROOT_CERTIFICATE);
  return [...new Map(real.map((each) => [`${each.kind}/${each.name}`, each])).values()];
}

function ofVolumes({ volumes = [] }: PodSpec): NeededObject[] {
  return volumes.flatMap(({ configMap, secret, persistentVolumeClaim, projected }) => [
    ...(configMap ? [needed('ConfigMap', configMap.name)] : []),
    ...(secret ? [needed('Secret', secret.secretName)] : []),
    ...(persistentVolumeClaim ? [needed('PersistentVolumeClaim', persistentVolumeClaim.claimName)] : []),
    ...(projected?.sources ?? []).flatMap((source) => [
      ...(source.configMap ? [needed('ConfigMap', source.configMap.name)] : []),
      ...(source.secret ? [needed('Secret', source.secret.name)] : []),
    ]),
  ]);
}

/** The ConfigMaps and Secrets of a Pod's variables. These keep their values until the container starts again. */
export function neededForVariables({ initContainers = [], containers }: PodSpec): NeededObject[] {
  return [...initContainers, ...containers].flatMap(({ env = [], envFrom = [] }) => [
    ...envFrom.flatMap(({ configMapRef, secretRef }) => [
      ...(configMapRef ? [needed('ConfigMap', configMapRef.name)] : []),
      ...(secretRef ? [needed('Secret', secretRef.name)] : []),
    ]),
    ...env.flatMap(({ valueFrom }) => [
      ...(valueFrom?.configMapKeyRef ? [needed('ConfigMap', valueFrom.configMapKeyRef.name)] : []),
      ...(valueFrom?.secretKeyRef ? [needed('Secret', valueFrom.secretKeyRef.name)] : []),
    ]),
  ]);
}

function needed(kind: NeededObject['kind'], name = ''): NeededObject {
  return { kind, name };
}
