import path from 'node:path';
import { makeFolder } from '../disk/atomic-file.ts';
import { ifPossible } from '../disk/disk-errors.ts';
import { watchPath } from './folder-watch.ts';
import { ownerPath } from '../base/layout.ts';
import type { Resource, Subscription } from '../base/store.ts';

/**
 * Calls back with the name of each object of a namespace that an agent has taken up or given up, where the file system
 * reports changes.
 */
export function watchOwners(
  root: string,
  resource: Resource,
  namespace: string,
  onChange: (name: string) => void,
): Subscription {
  const folder = path.dirname(ownerPath(root, resource, namespace, 'any'));
  ifPossible(() => makeFolder(folder));
  return watchPath(folder, (name) => {
    if (name !== undefined) onChange(name);
  });
}
