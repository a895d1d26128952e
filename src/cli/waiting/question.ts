import type { StoredKubeObject, StoredPod } from '../../api/objects.ts';
import type { WaitCondition } from '../../lifecycle/requests/wait-condition.ts';
import { isUnattainable } from '../../lifecycle/requests/unattainable.ts';
import type { WaitPhrase } from '../../print/waits/progress-pace.ts';
import { podPhrase, type WaitedPod } from '../../print/waits/wait-phrase.ts';
import type { ObjectRef } from '../../run/object-ref.ts';

/** One condition of one object, as it was at the start: what `wait` waits for. */
export interface Question {
  readonly ref: ObjectRef;
  /** Undefined: it was not there. */
  readonly object: StoredKubeObject | undefined;
  readonly condition: WaitCondition;
}

/** Can the answer never be yes any more? Who is gone is taken for gone for good. */
export function isHopelessQuestion({ condition, ref }: Question, object: StoredKubeObject | undefined): boolean {
  if (condition.type !== 'state') return false;
  if (object === undefined) return true;
  const { wanted } = condition;
  if (wanted === undefined || ref.type.plural !== 'pods') return false;
  return !isMetQuietly(condition, object) && isUnattainable(wanted, object as unknown as StoredPod);
}

/** A question that makes no sense for the object is answered: whoever waits is told of that. */
export function isMetQuietly(condition: Extract<WaitCondition, { type: 'state' }>, object: StoredKubeObject): boolean {
  try {
    return condition.isMet(object);
  } catch {
    // Whoever waits for it is told of that.
    return true;
  }
}

/** What is being waited for. */
export function questionPhrase({ condition, ref }: Question, waited: WaitedPod | undefined, nowMs: number): WaitPhrase {
  const name = `${ref.type.kind.toLowerCase()}/${ref.name}`;
  const plain = (text: string): WaitPhrase => ({ text: `${name}: ${text}`, key: `${name} ${text}` });
  if (condition.type === 'create') return plain('it to be created');
  const isLeaving = waited?.pod.metadata.deletionTimestamp !== undefined;
  if (condition.type === 'delete') {
    return waited !== undefined && isLeaving ? podPhrase(waited, nowMs) : plain('somebody to delete it');
  }
  if (waited === undefined || condition.wanted === undefined) return plain(condition.phrase);
  return podPhrase(waited, nowMs, condition.wanted);
}
