import type { ObjectMeta } from '../../api/index.ts';
import { formatJson } from './base/json.ts';
import { formatYaml } from './yaml.ts';

/** The output formats for whole objects. */
export type ObjectFormat = 'json' | 'yaml' | 'name';

/** Any object of the API, or a List of them. */
export interface PrintedObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly items?: readonly PrintedObject[];
}

/** Wraps several objects in a List, as `get` prints them. */
export function listOf(items: readonly PrintedObject[]): PrintedObject {
  return { apiVersion: 'v1', items, kind: 'List', metadata: { resourceVersion: '' } };
}

/**
 * Formats an object as `-o json`, `-o yaml` or `-o name` does, with a newline at the end. `-o name` prints the items of
 * a List. managedFields are left out by default.
 */
export function renderObject(object: PrintedObject, format: ObjectFormat, showManagedFields = false): string {
  if (format === 'name') return (object.items ?? [object]).map((item) => `${resourceName(item)}\n`).join('');
  const shown = showManagedFields ? object : withoutManagedFields(object);
  return format === 'yaml' ? formatYaml(shown) : `${formatJson(shown, '\n')}\n`;
}

/** One line of a watch with `-o json`. */
export function renderWatchLine(type: string, object: PrintedObject, showManagedFields = false): string {
  const shown = showManagedFields ? object : withoutManagedFields(object);
  return `{"type":${formatJson(type)},"object":${formatJson(shown)}}\n`;
}

/** The name of a resource: `pod/web`, or outside the core group `deployment.apps/web`. */
function resourceName({ apiVersion, kind, metadata }: PrintedObject): string {
  const group = apiVersion.includes('/') ? `.${apiVersion.slice(0, apiVersion.indexOf('/'))}` : '';
  return `${kind.toLowerCase()}${group}/${metadata.name || '<unknown>'}`;
}

function withoutManagedFields(object: PrintedObject): PrintedObject {
  const { managedFields: _hidden, ...metadata } = object.metadata;
  const shown = { ...object, metadata };
  return object.items === undefined ? shown : { ...shown, items: object.items.map(withoutManagedFields) };
}
