import type { KubeObject } from '../../src/api/index.ts';
import { applyDefaults } from '../../src/manifest/index.ts';

/** An object of a scheduling case, as the API server completes it. */
export function completed(object: KubeObject): KubeObject {
  const { status = {}, ...rest } = object as KubeObject & { status?: object };
  if (object.kind !== 'Pod') return { ...object, metadata: { ...object.metadata } };
  const metadata = {
    namespace: 'default',
    uid: `${object.metadata.namespace}/${object.metadata.name}`,
    ...object.metadata,
  };
  return { ...applyDefaults({ ...rest, metadata }), status };
}
