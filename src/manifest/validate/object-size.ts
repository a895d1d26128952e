import type { KubeObject } from '../../api/objects.ts';
import { type FieldError, forbidden } from '../field-error.ts';

/** What etcd takes at once, unless it is told otherwise. Source: etcd server/embed/config.go DefaultMaxRequestBytes. */
const BYTES_MAX = 1.5 * 1024 * 1024;

/** A cluster keeps no larger object: nobody could run what is in it. */
export function validateObjectSize(object: KubeObject): FieldError[] {
  const bytes = Buffer.byteLength(JSON.stringify(object));
  if (bytes <= BYTES_MAX) return [];
  const detail = `the object is ${bytes} bytes long, and a cluster keeps none of more than ${BYTES_MAX}`;
  return [forbidden('', `etcdserver: request is too large: ${detail}`)];
}
