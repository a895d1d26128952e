import type { StoredKubeObject, StoredPod } from '../../api/index.ts';
import type { WaitCondition } from '../../lifecycle/index.ts';
import { explainPod, whyNever } from '../../print/index.ts';
import { getObject, type ObjectRef } from '../../apiserver/index.ts';
import { type FileStore, podEvidence } from '../../store/index.ts';
import { isOutOfReach, isMetOrInvalid, type WaitTarget, targetPhrase } from './wait-target.ts';

/** The number of Pods with a full explanation. */
const EXPLAINED_MAX = 5;

interface ExplainContext {
  readonly store: FileStore;
  /** Milliseconds since 1970. */
  readonly nowMs: number;
  /** The value of `--state-dir`. */
  readonly stateDir: string | undefined;
}

/**
 * Explains a failed `wait` behind kubectl's error: a reason for each object, conditions that can no longer become true
 * first.
 */
export function explainTargets(context: ExplainContext, targets: readonly WaitTarget[]): string {
  const seen = targets.map((target) => {
    const object = getObject(context.store, target.ref);
    return { target, object, isUnattainable: isOutOfReach(target, object) };
  });
  return [
    ...seen.filter(({ isUnattainable }) => isUnattainable),
    ...seen.filter(({ isUnattainable }) => !isUnattainable),
  ]
    .map(({ target, object }, index) => explain({ ...context, target, object, isExplained: index < EXPLAINED_MAX }))
    .join('');
}

interface ExplainedTarget extends ExplainContext {
  readonly target: WaitTarget;
  /** The present state of the object. */
  readonly object: StoredKubeObject | undefined;
  readonly isExplained: boolean;
}

function explain({ store, nowMs, stateDir, target, object, isExplained }: ExplainedTarget): string {
  const { ref, condition } = target;
  const name = nameOf(ref);
  if (condition.type === 'state' && object === undefined) return `${name} was deleted meanwhile\n`;
  if (object === undefined || ref.type.plural !== 'pods') return `${targetPhrase(target, undefined, nowMs).text}\n`;
  const pod = object as unknown as StoredPod;
  const evidence = podEvidence(store, pod);
  const isEndWanted = condition.type === 'state' && isEnd(condition);
  const hasBlock = isExplained && condition.type === 'state';
  const block = hasBlock
    ? explainPod({ pod, evidence, untilMs: nowMs, isEndWanted, wanted: condition.wanted, stateDir })
    : '';
  if (condition.type === 'state' && isOutOfReach(target, object)) {
    const why = whyNever(pod, condition.wanted, evidence);
    return `${name} can never become ${condition.text}: ${why}\n${block}`;
  }
  if (condition.type === 'state' && isMetOrInvalid(condition, object))
    return `${name}: met the condition, but too late\n`;
  return `${targetPhrase(target, { pod, records: evidence }, nowMs).text}\n${block}`;
}

function isEnd({ wanted }: Extract<WaitCondition, { type: 'state' }>): boolean {
  return wanted?.type === 'phase' && (wanted.phase === 'Succeeded' || wanted.phase === 'Failed');
}

function nameOf({ type, name }: ObjectRef): string {
  return `${type.kind.toLowerCase()}/${name}`;
}
