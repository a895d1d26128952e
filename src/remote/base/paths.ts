import type { ResourceType } from '../../api/index.ts';

/** The path of all objects of a type, in a namespace if the type has namespaces. */
export function collectionPath({ apiVersion, plural, isNamespaced }: ResourceType, namespace: string): string {
  const group = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  return `${group}${isNamespaced ? `/namespaces/${namespace}` : ''}/${plural}`;
}

/** The path of one object. */
export function objectPathOf(type: ResourceType, namespace: string, name: string): string {
  return `${collectionPath(type, namespace)}/${name}`;
}
