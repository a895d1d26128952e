import type { ObjectMeta, PodSpec, PodTemplateSpec } from '../../api/index.ts';
import { controllerReference } from './ownership.ts';
import type { NewObject, Owned } from './reconcile.ts';

/**
 * A Pod of a template: its labels, annotations, finalizers and spec, and the owner. Nothing of the owner's metadata.
 * Source: pkg/controller/controller_utils.go GetPodFromTemplate.
 * @param name the name, and the prefix it was generated from
 */
export function podFromTemplate(
  owner: Owned,
  template: PodTemplateSpec | undefined,
  name: { readonly name: string; readonly generateName: string },
): NewPod {
  const { labels, annotations, finalizers } = template?.metadata ?? {};
  const lists = { labels, annotations, finalizers };
  const given = Object.fromEntries(Object.entries(lists).filter(([, value]) => value !== undefined));
  const { namespace } = owner.metadata;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { ...name, namespace, ...given, ownerReferences: [controllerReference(owner)] },
    spec: template?.spec ?? { containers: [] },
  };
}

export interface NewPod extends NewObject {
  readonly kind: 'Pod';
  readonly metadata: ObjectMeta & { readonly name: string; readonly namespace: string };
  readonly spec: PodSpec;
}
