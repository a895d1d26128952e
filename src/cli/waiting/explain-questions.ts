import type { StoredKubeObject, StoredPod } from '../../api/objects.ts';
import type { WaitCondition } from '../../lifecycle/requests/wait-condition.ts';
import { explainPod } from '../../print/waits/explain-pod.ts';
import { whyNever } from '../../print/waits/why-never.ts';
import { getObject, type ObjectRef } from '../../run/object-ref.ts';
import { podEvidence } from '../../run/pod-evidence.ts';
import type { FileStore } from '../../store/file-store.ts';
import { isHopelessQuestion, isMetQuietly, type Question, questionPhrase } from './question.ts';

/** The number of Pods with a full explanation. */
const EXPLAINED_MAX = 5;

interface Asked {
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
export function explainQuestions(asked: Asked, questions: readonly Question[]): string {
  const seen = questions.map((question) => {
    const object = getObject(asked.store, question.ref);
    return { question, object, isUnattainable: isHopelessQuestion(question, object) };
  });
  return [
    ...seen.filter(({ isUnattainable }) => isUnattainable),
    ...seen.filter(({ isUnattainable }) => !isUnattainable),
  ]
    .map(({ question, object }, index) => explain({ ...asked, question, object, isWhole: index < EXPLAINED_MAX }))
    .join('');
}

interface OneQuestion extends Asked {
  readonly question: Question;
  /** The present state of the object. */
  readonly object: StoredKubeObject | undefined;
  readonly isWhole: boolean;
}

function explain({ store, nowMs, stateDir, question, object, isWhole }: OneQuestion): string {
  const { ref, condition } = question;
  const name = nameOf(ref);
  if (condition.type === 'state' && object === undefined) return `${name} is gone: it was deleted meanwhile\n`;
  if (object === undefined || ref.type.plural !== 'pods') return `${questionPhrase(question, undefined, nowMs).text}\n`;
  const pod = object as unknown as StoredPod;
  const evidence = podEvidence(store, pod);
  const isEndWanted = condition.type === 'state' && isEnd(condition);
  const isExplained = isWhole && condition.type === 'state';
  const block = isExplained
    ? explainPod({ pod, evidence, untilMs: nowMs, isEndWanted, wanted: condition.wanted, stateDir })
    : '';
  if (condition.type === 'state' && isHopelessQuestion(question, object)) {
    const why = whyNever(pod, condition.wanted, evidence);
    return `${name} can never become ${condition.text}: ${why}\n${block}`;
  }
  if (condition.type === 'state' && isMetQuietly(condition, object))
    return `${name}: nothing, but it came to that too late\n`;
  return `${questionPhrase(question, { pod, records: evidence }, nowMs).text}\n${block}`;
}

function isEnd({ wanted }: Extract<WaitCondition, { type: 'state' }>): boolean {
  return wanted?.type === 'phase' && (wanted.phase === 'Succeeded' || wanted.phase === 'Failed');
}

function nameOf({ type, name }: ObjectRef): string {
  return `${type.kind.toLowerCase()}/${name}`;
}
