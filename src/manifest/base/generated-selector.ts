import type { Job } from '../../api/index.ts';
import type { Decoded } from './decoded.ts';

const PREFIX = 'batch.kubernetes.io/';
const CONTROLLER_UID = `${PREFIX}controller-uid`;

/** The labels that only the Pods of one Job have, in the order in which they are checked. */
export function generatedLabels(uid: string, name: string): Readonly<Record<string, string>> {
  return {
    'controller-uid': uid,
    'job-name': name,
    [CONTROLLER_UID]: uid,
    [`${PREFIX}job-name`]: name,
  };
}

/**
 * Gives a Job a selector and labels of its Pods that no other Job has, unless it selects them itself. Labels that it
 * has already stay, whatever their values: its validation compares them.
 * Source: pkg/registry/batch/job/strategy.go, generateSelector.
 */
export function withGeneratedSelector<T extends Decoded<Job>>(job: T, uid: string): T {
  const { manualSelector, selector, template } = job.spec ?? {};
  if (manualSelector === true) return job;
  const labels = sorted({ ...generatedLabels(uid, job.metadata?.name ?? ''), ...template?.metadata?.labels });
  const matchLabels = sorted({ [CONTROLLER_UID]: uid, ...selector?.matchLabels });
  return {
    ...job,
    spec: {
      ...job.spec,
      selector: { ...selector, matchLabels },
      template: { ...template, metadata: { ...template?.metadata, labels } },
    },
  };
}

/** Maps have their keys in order, as Go writes them. */
function sorted<T extends object>(map: T): T {
  return Object.fromEntries(Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1))) as T;
}
