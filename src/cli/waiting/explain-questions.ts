import type { StoredKubeObject, StoredPod } from '../../api/objects.ts';
import type { WaitCondition } from '../../lifecycle/requests/wait-condition.ts';
import { explainPod } from '../../print/waits/explain-pod.ts';
import { whyNever } from '../../print/waits/why-never.ts';
import { getObject, type ObjectRef } from '../../run/object-ref.ts';
import { podEvidence } from '../../run/pod-evidence.ts';
import type { FileStore } from '../../store/file-store.ts';
import { isHopelessQuestion, isMetQuietly, type Question, questionPhrase } from './question.ts';

/** Pods that are explained with all there is to say. */
const EXPLAINED_MAX = 5;

interface Asked {
  readonly store: FileStore;
  /** Milliseconds since 1970. */
  readonly nowMs: number;
  /** `--state-dir`, where it was given. */
  readonly stateDir: string | undefined;
}

/** What `wait` adds to the words of kubectl when the time was up: for each object why, the hopeless ones first. */
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
  /** As it is now. */
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
