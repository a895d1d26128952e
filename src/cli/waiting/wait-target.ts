import {
  controllerOf,
  finishedCondition,
  storageOf,
  type StoredJob,
  type StoredKubeObject,
  type StoredPod,
} from '../../api/index.ts';
import { getObject, type ObjectRef } from '../../apiserver/index.ts';
import type { PodEvidence } from '../../history/index.ts';
import { isUnattainable, type Root, type WaitCondition } from '../../lifecycle/index.ts';
import {
  explainPod,
  podPhrase,
  rootEvidence,
  type WaitedPod,
  type WaitPhrase,
  whyNever,
  whyRootNever,
} from '../../print/index.ts';
import { quietly } from '../../quietly.ts';
import { evidenceAbout, type FileStore, podEvidence } from '../../store/index.ts';

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
  const { wanted, text } = condition;
  if (isMetOrInvalid(condition, object)) return false;
  if (storageOf(ref.type) === 'jobs') return JOB_END.test(text) && isDecided(object as unknown as StoredJob);
  return (
    wanted !== undefined && storageOf(ref.type) === 'pods' && isUnattainable(wanted, object as unknown as StoredPod)
  );
}

/** The conditions of which a Job has one at its end. */
const JOB_END = /^(?:complete|failed)(?:=true)?$/i;

/** True for a Job that is Complete or has Failed: it stays so. */
function isDecided({ status = {} }: StoredJob): boolean {
  return finishedCondition(status) !== undefined;
}

/** True when the object meets the condition. Also true when the check throws: `wait` reports that error itself. */
function isMetOrInvalid(condition: Extract<WaitCondition, { type: 'state' }>, object: StoredKubeObject): boolean {
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
  if (storageOf(ref.type) === 'jobs' && condition.type === 'state' && isOutOfReach(target, object)) {
    const root = jobRoot(store, object as unknown as StoredJob);
    const why = whyRootNever(root, undefined, (about) => evidenceAbout(store, about));
    const evidenceOf = (pod: StoredPod): PodEvidence => podEvidence(store, pod);
    const evidence = isExplained ? rootEvidence(root, evidenceOf, { untilMs: nowMs, stateDir }) : '';
    return `${name} can never become ${condition.text}: ${why}\n${evidence}`;
  }
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

function jobRoot(store: FileStore, job: StoredJob): Root {
  const { namespace, uid } = job.metadata;
  const pods = store.list<StoredPod>('pods', { namespace }).filter((pod) => controllerOf(pod)?.uid === uid);
  return { object: job, isGone: false, pods };
}

function isEnd({ wanted }: Extract<WaitCondition, { type: 'state' }>): boolean {
  return wanted?.type === 'phase' && (wanted.phase === 'Succeeded' || wanted.phase === 'Failed');
}

function nameOf({ type, name }: ObjectRef): string {
  return `${type.kind.toLowerCase()}/${name}`;
}
