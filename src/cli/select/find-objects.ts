import {
  type LabelSelector,
  matchesSelector,
  PodrunError,
  type ResourceType,
  storageOf,
  type StoredKubeObject,
  type StoredPod,
} from '../../api/index.ts';
import { getObject, inPlace, type ObjectRef } from '../../apiserver/index.ts';
import type { ObjectReader } from '../../store/index.ts';
import type { Cli } from '../base/cli.ts';
import type { TargetFlags } from './selection-flags.ts';
import { isExplicitList, nameMissing, readSelection, refTo, type Selection } from './selection.ts';

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
      const listed = store.list<StoredKubeObject>(storageOf(type), scope);
      const objects = listed.filter((object) => matches(type, object)).map((object) => inPlace(type, object));
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

/** Kinds whose selector is a map of labels. */
const WITH_LABELS: ReadonlySet<string> = new Set(['ReplicationController', 'Service']);

const WITH_SELECTOR: ReadonlySet<string> = new Set(['DaemonSet', 'Deployment', 'Job', 'ReplicaSet', 'StatefulSet']);

/**
 * Tells which Pods an object selects. Source: kubectl/pkg/polymorphichelpers/helpers.go SelectorsForObject.
 * @param doing the beginning of kubectl's error: `attach to`
 * @throws {PodrunError} in kubectl's words, for an object without a selector
 */
export function podsSelectedBy(object: StoredKubeObject, doing: string): (pod: StoredPod) => boolean {
  const { kind, metadata } = object;
  const { selector } = (object['spec'] ?? {}) as { readonly selector?: LabelSelector['matchLabels'] };
  if (kind === 'Service' && Object.keys(selector ?? {}).length === 0) {
    throw new PodrunError('BadRequest', `invalid service '${metadata.name}': Service is defined without a selector`);
  }
  if (!WITH_LABELS.has(kind) && !WITH_SELECTOR.has(kind)) {
    const type = `*v1.${kind}`;
    throw new PodrunError('BadRequest', `cannot ${doing} ${type}: selector for ${type} not implemented`);
  }
  const labels: LabelSelector | undefined = WITH_LABELS.has(kind) ? { matchLabels: selector } : selector;
  return (pod) => pod.metadata.namespace === metadata.namespace && matchesSelector(labels, pod.metadata.labels);
}

type TargetCommand = Parameters<typeof readSelection>[1];

/** A command that changes objects of one namespace. */
interface Targeting {
  readonly command: TargetCommand;
  readonly words: readonly string[];
  readonly flags: TargetFlags;
  /** True when a type alone means all its objects, as in `rollout restart deployments`. */
  readonly takesTypes?: boolean;
}

/**
 * The objects of a command that changes objects of one namespace. Named objects need not exist.
 * @throws {PodrunError} when words and flags contradict each other, or name nothing
 */
export async function readTargets(
  cli: Cli,
  store: ObjectReader,
  { command, words, flags, takesTypes = false }: Targeting,
): Promise<readonly ObjectRef[]> {
  const anywhere = { allNamespaces: false, fieldSelector: undefined };
  const selection = await readSelection(cli, command, words, { ...flags, ...anywhere });
  if (selection.how === 'listed' && !takesTypes && !isExplicitList({ ...flags, ...anywhere })) throw nameMissing();
  return refsOf(store, selection);
}
