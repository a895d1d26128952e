import {
  DEFAULT_NAMESPACE,
  type KubeObject,
  noSuchObject,
  qualifiedPlural,
  resourceTypeNamed,
  usage,
} from '../../api/index.ts';
import { customTypeNamed, getObject } from '../../apiserver/index.ts';
import { type AwaitedGoal, ObjectGoals, reasonsAgainst } from '../../engine/index.ts';
import type { FileStore } from '../../store/index.ts';
import type { Goal } from '../base/types.ts';

/** The goal of a wait for an object of any kind. */
export type ObjectGoal = Goal | ((object: KubeObject) => boolean);

interface ObjectPlaces {
  readonly store: FileStore;
  /** The namespace of names. */
  readonly namespace: string;
}

/**
 * The current state of an object, as `gadget.example.com/lamp`.
 * @throws {PodrunError} when there is none
 */
export function objectNamed({ store, namespace }: ObjectPlaces, word: string): KubeObject {
  const [typeName, name] = partsOf(word);
  const type = resourceTypeNamed(typeName) ?? customTypeNamed(store, typeName);
  if (type === undefined) throw usage(`this run has no kind ${JSON.stringify(typeName)}`);
  const object = getObject(store, { type, namespace: type.isNamespaced ? namespace : DEFAULT_NAMESPACE, name });
  if (object === undefined) throw noSuchObject(qualifiedPlural(type), name);
  return structuredClone(object);
}

/**
 * Follows one object up to a goal.
 * @throws {PodrunError} (usage) for a name or a goal that makes no sense
 */
export function followObject(
  { store, namespace }: ObjectPlaces,
  { word, goal }: { readonly word: string; readonly goal: ObjectGoal },
  onChange: () => void,
): ObjectGoals {
  partsOf(word);
  return new ObjectGoals({ store, namespace, names: [word], applied: [], reasonsOf: reasonsFor(goal), onChange });
}

/** Follows the custom resources of manifests until they are ready. */
export function followApplied(
  { store, namespace }: ObjectPlaces,
  applied: readonly KubeObject[],
  onChange: () => void,
): ObjectGoals {
  return new ObjectGoals({ store, namespace, names: [], applied, reasonsOf: reasonsAgainst([]), onChange });
}

/** A goal that an object beside the Pods decides about: the Pods do not count. */
export function objectAwaited(goal: ObjectGoal): AwaitedGoal {
  return { text: textOf(goal), ofPods: undefined, isAbout: () => false, stateOf: () => 'met' };
}

function textOf(goal: ObjectGoal): string {
  return typeof goal === 'function' ? `the condition of ${goal.name || 'the function'}` : goal;
}

function reasonsFor(goal: ObjectGoal): ConstructorParameters<typeof ObjectGoals>[0]['reasonsOf'] {
  if (typeof goal === 'function') {
    const isMet = goal as (object: KubeObject) => boolean;
    return (object) => (isMet(structuredClone(object)) ? [] : [`waits for ${textOf(goal)}`]);
  }
  if (/^ready$/i.test(goal)) return reasonsAgainst([]);
  return reasonsAgainst([/^(?:condition|jsonpath)=/i.test(goal) ? goal : `condition=${goal}`]);
}

/** @throws {PodrunError} (usage) for a text that names no object */
function partsOf(word: string): [type: string, name: string] {
  const [type = '', name = '', ...rest] = word.split('/');
  if (type === '' || name === '' || rest.length > 0) {
    throw usage(`${JSON.stringify(word)} names no object`, 'Name it as gadget.example.com/lamp.');
  }
  return [type, name];
}
