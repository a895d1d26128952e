import type { PodSpec } from '../../api/index.ts';
import { type ManifestObject, podIn } from '../../manifest/index.ts';

/** A Pod that will run: a Pod of a manifest, or all Pods that a workload makes from its template. */
export interface PlannedPod {
  /** The kind of the object in the manifest. */
  readonly kind: string;
  /** The name of that object. */
  readonly name: string;
  readonly spec: PodSpec;
  /** The name of the manifest file for messages. */
  readonly file: string;
}

/** The Pods of these manifests, and one for each workload: podrun checks what they ask for before anything starts. */
export function plannedPods(manifests: readonly ManifestObject[]): PlannedPod[] {
  return manifests.flatMap(({ object, file }) => {
    const spec = podIn(object)?.pod.spec as PodSpec | undefined;
    return spec === undefined ? [] : [{ kind: object.kind, name: object.metadata.name ?? '', spec, file }];
  });
}
