import type { StoredPod } from '../../api/index.ts';
import type { PodEvidence } from '../../history/index.ts';
import type { Root } from '../../lifecycle/index.ts';
import { causeOf } from '../live/first-cause.ts';
import { waitingFor } from '../live/waiting-for.ts';
import { explainPod, type ExplainPodOptions } from '../waits/explain-pod.ts';
import { blamedPod } from './blamed-pod.ts';

/**
 * The evidence for a root, indented below its sentence. Below the sentence of a workload stands the Pod that explains
 * it best. Empty without evidence.
 */
export function rootEvidence(
  root: Root,
  evidenceOf: (pod: StoredPod) => PodEvidence,
  about: Omit<ExplainPodOptions, 'pod' | 'evidence'>,
): string {
  const pod = blamedPod(root);
  if (pod === undefined) return '';
  const evidence = evidenceOf(pod);
  const block = explainPod({ pod, evidence, ...about });
  if (root.object.kind === 'Pod') return block;
  const cause = causeOf(pod, evidence)?.text ?? waitingFor(pod, about.untilMs, evidence);
  return `pod/${pod.metadata.name}: ${cause}\n${block}`;
}
