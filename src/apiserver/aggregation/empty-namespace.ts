import { errorMessage, isJsonObject, type StoredKubeObject } from '../../api/index.ts';
import { accountUser } from '../access/account-user.ts';
import type { ServerContext } from '../base/context.ts';
import type { AggregatedVersion } from '../resources/aggregated-table.ts';
import { askBackend, readBackend } from './backend.ts';
import { groupsInOrder } from './group-order.ts';

/** The objects of other API servers that are left in a namespace that is Terminating. */
export interface ForeignContents {
  readonly remaining: readonly ForeignObjects[];
  /** Why objects were not deleted. */
  readonly errors: readonly string[];
}

interface ForeignObjects {
  readonly resource: { readonly group: string; readonly plural: string };
  readonly objects: readonly StoredKubeObject[];
}

const NOT_FOUND = 404;
const NOT_ALLOWED = 405;

/** The versions with unknown kinds: `example.com/v1`. A namespace may have objects of them. */
export function unknownVersions({ aggregated }: Pick<ServerContext, 'aggregated'>): string[] {
  return aggregated.all
    .filter(({ resources }) => resources === undefined)
    .map(({ group, version }) => `${group}/${version}`)
    .toSorted();
}

/**
 * Deletes what other API servers have in a namespace, and looks what is left.
 * Source: pkg/controller/namespace/deletion/namespaced_resources_deleter.go.
 */
export async function deleteForeignContents(namespace: string, context: ServerContext): Promise<ForeignContents> {
  const contents: ForeignObjects[] = [];
  const errors: string[] = [];
  const seen = new Set<string>();
  for (const version of groupsInOrder(context.aggregated.all).flatMap(({ versions }) => versions)) {
    for (const { resource: plural, scope, verbs } of version.resources ?? []) {
      const resource = { group: version.group, plural };
      const key = `${plural}.${version.group}`;
      if (scope !== 'Namespaced' || !verbs.includes('delete') || seen.has(key)) continue;
      seen.add(key);
      try {
        contents.push({ resource, objects: await emptyCollection(version, { plural, verbs, namespace }, context) });
      } catch (error) {
        errors.push(errorMessage(error));
      }
    }
  }
  return { remaining: contents.filter(({ objects }) => objects.length > 0), errors };
}

interface ForeignCollection {
  readonly plural: string;
  readonly verbs: readonly string[];
  readonly namespace: string;
}

/** Deletes the objects of a kind. Returns the objects that are left. */
async function emptyCollection(
  { group, version, backend }: AggregatedVersion,
  { plural, verbs, namespace }: ForeignCollection,
  context: ServerContext,
): Promise<readonly StoredKubeObject[]> {
  const user = accountUser({ namespace: 'kube-system', name: 'namespace-controller' });
  const path = `/apis/${group}/${version}/namespaces/${namespace}/${plural}`;
  const remove = async (at: string): Promise<void> => {
    const { code } = await askBackend(backend, { method: 'DELETE', path: at, user }, context);
    if (code >= 300 && code !== NOT_FOUND && code !== NOT_ALLOWED) throw new Error(`bad status from ${at}: ${code}`);
  };
  const list = async (): Promise<readonly StoredKubeObject[]> =>
    verbs.includes('list') ? itemsOf(await readBackend(backend, { path, user }, context)) : [];
  if (verbs.includes('deletecollection')) await remove(path);
  else for (const { metadata } of await list()) await remove(`${path}/${encodeURIComponent(metadata.name)}`);
  return list();
}

function itemsOf(list: unknown): readonly StoredKubeObject[] {
  const items = isJsonObject(list) && Array.isArray(list['items']) ? (list['items'] as unknown[]) : [];
  return items.filter((item): item is StoredKubeObject => isJsonObject(item) && isJsonObject(item['metadata']));
}
