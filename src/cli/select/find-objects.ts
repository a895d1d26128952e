import type { ResourceType, StoredKubeObject } from '../../api/index.ts';
import { getObject, type ObjectRef } from '../../apiserver/index.ts';
import type { ObjectReader } from '../../store/index.ts';
import { refTo, type Selection } from './selection.ts';

/** Objects of one type. */
export interface FoundGroup {
  readonly type: ResourceType;
  readonly objects: readonly StoredKubeObject[];
}

export interface FoundObjects {
  /** Grouped by type. Named objects stay in the order of their names on the command line. */
  readonly groups: readonly FoundGroup[];
  readonly missing: readonly ObjectRef[];
}

export function findObjects(store: ObjectReader, selection: Selection): FoundObjects {
  if (selection.how === 'listed') {
    const { types, namespace, matches } = selection;
    const groups = types.map((type) => {
      const scope = type.isNamespaced ? { namespace } : {};
      const objects = store.list<StoredKubeObject>(type.plural, scope).filter((object) => matches(type, object));
      return { type, objects };
    });
    return { groups: groups.filter(({ objects }) => objects.length > 0), missing: [] };
  }
  const groups: Array<{ type: ResourceType; objects: StoredKubeObject[] }> = [];
  const missing: ObjectRef[] = [];
  for (const ref of selection.refs) {
    const object = getObject(store, ref);
    const last = groups.at(-1);
    if (object === undefined) missing.push(ref);
    else if (last?.type === ref.type) last.objects.push(object);
    else groups.push({ type: ref.type, objects: [object] });
  }
  return { groups, missing };
}

/** References to the objects of a command, one by one. Objects that the user named need not exist. */
export function refsOf(store: ObjectReader, selection: Selection): readonly ObjectRef[] {
  if (selection.how === 'named') return selection.refs;
  return findObjects(store, selection).groups.flatMap(({ type, objects }) =>
    objects.map((object) => refTo(type, object)),
  );
}

/** The message for an empty list. */
export function noneFound(selection: Selection): string {
  const everywhere =
    selection.how === 'named' ||
    selection.namespace === undefined ||
    selection.types.every(({ isNamespaced }) => !isNamespaced);
  return everywhere ? 'No resources found' : `No resources found in ${selection.namespace} namespace.`;
}
