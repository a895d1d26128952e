import type { KubeObject } from '../api/objects.ts';
import { formatJson } from './json.ts';
import { formatYaml } from './yaml.ts';

/** Output formats that print whole objects. */
export type ObjectFormat = 'json' | 'yaml' | 'name';

/** A List of objects, as `get` prints several of them. */
export function listOf(items: readonly KubeObject[]): KubeObject {
  return { apiVersion: 'v1', items, kind: 'List', metadata: { resourceVersion: '' } };
}

/**
 * One object as `-o json`, `-o yaml` or `-o name` prints it, with the newline at the end. A List is printed by name as
 * its items are. Who manages which field is not shown.
 */
export function renderObject(object: KubeObject, format: ObjectFormat): string {
  if (format === 'name') return namedObjects(object).map((item) => `${resourceName(item)}\n`).join('');
  const shown = withoutManagedFields(object);
  return format === 'yaml' ? formatYaml(shown) : `${formatJson(shown, '\n')}\n`;
}

/** One line of a watch with `-o json`. */
export function renderWatchLine(type: string, object: KubeObject): string {
  return `{"type":${formatJson(type)},"object":${formatJson(withoutManagedFields(object))}}\n`;
}

/** `pod/web`; outside the core group `deployment.apps/web`. */
export function resourceName({ apiVersion, kind, metadata }: KubeObject): string {
  const group = apiVersion.includes('/') ? `.${apiVersion.slice(0, apiVersion.indexOf('/'))}` : '';
  return `${kind.toLowerCase()}${group}/${metadata.name ?? ''}`;
}

function namedObjects(object: KubeObject): readonly KubeObject[] {
  return Array.isArray(object['items']) ? (object['items'] as KubeObject[]) : [object];
}

function withoutManagedFields(object: KubeObject): KubeObject {
  if (Array.isArray(object['items'])) return { ...object, items: namedObjects(object).map(withoutManagedFields) };
  const { managedFields: _hidden, ...metadata } = object.metadata;
  return { ...object, metadata };
}
