import type { KubeObject } from '../../api/objects.ts';
import { type FieldError, forbidden } from '../field-error.ts';

/** The default size limit of etcd. Source: etcd server/embed/config.go DefaultMaxRequestBytes. */
const BYTES_MAX = 1.5 * 1024 * 1024;

/** Refuses an object that is too large for a cluster. */
export function validateObjectSize(object: KubeObject): FieldError[] {
  const bytes = Buffer.byteLength(JSON.stringify(object));
  if (bytes <= BYTES_MAX) return [];
  const detail = `the object has ${bytes} bytes: a cluster stores at most ${BYTES_MAX}`;
  return [forbidden('', `etcdserver: request is too large: ${detail}`)];
}
