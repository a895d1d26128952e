import type { KubeObject } from '../../../src/api/base/objects.ts';
import { formatFieldError } from '../../../src/manifest/base/field-error.ts';
import { admitUpdate, type Subresource } from '../../../src/manifest/update/index.ts';
import { created } from '../objects.ts';

export type Fields = Record<string, unknown>;

/** An object as the store contains it. */
export function stored(given: KubeObject): KubeObject {
  const fresh = created({ ...given, metadata: { namespace: 'default', ...given.metadata } });
  const metadata = { ...fresh.metadata, uid: 'u', resourceVersion: '7', creationTimestamp: '2026-01-01T00:00:00Z' };
  return { ...fresh, metadata };
}

/** The object with other fields at the top. Undefined removes a field. */
export function changed(object: KubeObject, fields: Fields): KubeObject {
  const entries = Object.entries({ ...object, ...fields }).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as unknown as KubeObject;
}

/** The object with other fields in its spec. */
export function respecified(object: KubeObject, fields: Fields): KubeObject {
  return changed(object, { spec: changed(object['spec'] as KubeObject, fields) });
}

/** The result of a change: the object, or the mistakes as lines. */
export function outcomeOf(before: KubeObject, after: KubeObject, subresource?: Subresource): KubeObject | string[] {
  const outcome = admitUpdate(before, after, subresource === undefined ? {} : { subresource });
  return outcome.ok ? outcome.object : outcome.errors.map(formatFieldError);
}
