import type { KubeObject } from '../../../src/api/base/objects.ts';
import { withGeneratedSelector } from '../../../src/manifest/base/generated-selector.ts';
import { formatFieldError } from '../../../src/manifest/base/field-error.ts';
import { asCreated } from '../../../src/manifest/default/created.ts';
import { admitUpdate, type Subresource } from '../../../src/manifest/update/index.ts';
import { created } from '../objects.ts';

export type Fields = Record<string, unknown>;

/** An object as the store contains it. */
export function stored(given: KubeObject): KubeObject {
  const fresh = asMade(created({ ...given, metadata: { namespace: 'default', ...given.metadata } }, UID));
  const metadata = { ...fresh.metadata, resourceVersion: '7', creationTimestamp: '2026-01-01T00:00:00Z' };
  return { ...fresh, metadata };
}

const UID = 'u';

/** An object with what the server makes of a new Job with the uid `u`. */
export function asMade(object: KubeObject): KubeObject {
  return object.kind === 'Job' ? asCreated(object, () => UID) : object;
}

/** A change of an object, which leaves what the server has made of a Job. */
export function keepingMade(object: KubeObject): KubeObject {
  return object.kind === 'Job' ? withGeneratedSelector(object, UID) : object;
}

/** The object with other fields at the top. Undefined removes a field. */
export function changed(object: KubeObject, fields: Fields): KubeObject {
  const entries = Object.entries({ ...object, ...fields }).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as unknown as KubeObject;
}

/** The object with other fields in its spec. */
export function respecified(object: KubeObject, fields: Fields): KubeObject {
  return keepingMade(changed(object, { spec: changed(object['spec'] as KubeObject, fields) }));
}

/** The result of a change: the object, or the mistakes as lines. */
export function outcomeOf(before: KubeObject, after: KubeObject, subresource?: Subresource): KubeObject | string[] {
  const outcome = admitUpdate(before, after, subresource === undefined ? {} : { subresource });
  return outcome.ok ? outcome.object : outcome.errors.map(formatFieldError);
}
