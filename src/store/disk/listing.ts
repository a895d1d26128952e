import { namesIn } from './atomic-file.ts';
import { namespaceFolder, resourceFolder } from '../base/layout.ts';
import type { ObjectKey, Resource, Scope } from '../base/store.ts';

/** The keys in a scope, sorted by namespace, then name. A name in the scope counts even if no such object is stored. */
export function keysIn(root: string, resource: Resource, { namespace, name }: Scope): ObjectKey[] {
  const namespaces = namespace === undefined ? namesIn(resourceFolder(root, resource)) : [namespace];
  return namespaces.flatMap((each) => {
    const names = name === undefined ? namesIn(namespaceFolder(root, resource, each)) : [name];
    return names.map((name) => ({ namespace: each, name }));
  });
}

/** True when the scope contains the key. */
export function isInScope(scope: Scope, key: ObjectKey): boolean {
  return (scope.namespace ?? key.namespace) === key.namespace && (scope.name ?? key.name) === key.name;
}

/** A key as text, for maps. */
export function keyText({ namespace, name }: ObjectKey): string {
  return `${namespace}/${name}`;
}

/** The key that a text of {@link keyText} stands for. */
export function keyOfText(text: string): ObjectKey {
  const slash = text.indexOf('/');
  return { namespace: text.slice(0, slash), name: text.slice(slash + 1) };
}
