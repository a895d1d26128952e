import type { StoredKubeObject, StoredPod } from '../../api/index.ts';
import { isUnattainable, type WaitCondition } from '../../lifecycle/index.ts';
import { podPhrase, type WaitedPod, type WaitPhrase } from '../../print/index.ts';
import type { ObjectRef } from '../../apiserver/index.ts';
import { quietly } from '../../quietly.ts';

/** One condition of one object, with the state of the object at the start of `wait`. */
export interface WaitTarget {
  readonly ref: ObjectRef;
  /** Undefined when the object did not exist. */
  readonly object: StoredKubeObject | undefined;
  readonly condition: WaitCondition;
}

/** True when the condition can no longer become true. A deleted object counts as deleted for good. */
export function isOutOfReach({ condition, ref }: WaitTarget, object: StoredKubeObject | undefined): boolean {
  if (condition.type !== 'state') return false;
  if (object === undefined) return true;
  const { wanted } = condition;
  if (wanted === undefined || ref.type.plural !== 'pods') return false;
  return !isMetOrInvalid(condition, object) && isUnattainable(wanted, object as unknown as StoredPod);
}

/** True when the object meets the condition. Also true when the check throws: `wait` reports that error itself. */
export function isMetOrInvalid(
  condition: Extract<WaitCondition, { type: 'state' }>,
  object: StoredKubeObject,
): boolean {
  return quietly(() => condition.isMet(object)) ?? true;
}

/** The text about the object and its condition for a waiting line. */
export function targetPhrase({ condition, ref }: WaitTarget, waited: WaitedPod | undefined, nowMs: number): WaitPhrase {
  const name = `${ref.type.kind.toLowerCase()}/${ref.name}`;
  const plain = (text: string): WaitPhrase => ({ text: `${name}: ${text}`, key: `${name} ${text}` });
  if (condition.type === 'create') return plain('its creation');
  const isLeaving = waited?.pod.metadata.deletionTimestamp !== undefined;
  if (condition.type === 'delete') {
    return waited !== undefined && isLeaving ? podPhrase(waited, nowMs) : plain('its deletion');
  }
  if (waited === undefined || condition.wanted === undefined) return plain(condition.phrase);
  return podPhrase(waited, nowMs, condition.wanted);
}
