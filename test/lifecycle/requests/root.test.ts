import { expect, it } from 'vitest';
import { podRoot, type Root, rootEnd, servingPods } from '../../../src/lifecycle/requests/root.ts';
import { verdictOf } from '../../../src/lifecycle/requests/verdict.ts';
import { condition, root, workload } from '../../controllers/goals/roots.ts';
import { webPod } from '../../print/pods.ts';

const complete = root(workload('Job', { conditions: [condition('Complete')] }));
const failed = root(workload('Job', { conditions: [condition('Failed')] }));
const gone = (subject: Root): Root => ({ ...subject, isGone: true });

it.each<[string, Root, ReturnType<typeof rootEnd>]>([
  ['a Pod that runs', podRoot(webPod()), 'running'],
  ['a Pod that Succeeded', podRoot(webPod({ status: { phase: 'Succeeded' } })), 'succeeded'],
  ['a Pod that Failed', podRoot(webPod({ status: { phase: 'Failed' } })), 'failed'],
  ['a Job at work', root(workload('Job', { active: 1 })), 'running'],
  ['a Job that will be Complete', root(workload('Job', { conditions: [condition('SuccessCriteriaMet')] })), 'running'],
  ['a Job that is Complete', complete, 'succeeded'],
  ['a Job that has Failed', failed, 'failed'],
  ['a Job that was removed after it was Complete', gone(complete), 'succeeded'],
  ['a Job that was removed before', gone(root(workload('Job', { active: 1 }))), 'failed'],
  ['a CronJob', root(workload('CronJob')), 'running'],
  ['a Deployment with all its Pods', root(workload('Deployment', { readyReplicas: 3 })), 'running'],
  ['a Deployment that was removed', gone(root(workload('Deployment'))), 'succeeded'],
])('%s: %s', (_, subject, end) => {
  expect(rootEnd(subject)).toBe(end);
});

it('a failed Job makes the exit code 1, beside whatever else has ended', () => {
  const server = gone(root(workload('Deployment')));
  expect(verdictOf({ type: 'ended' }, [complete, server], 'complete')).toMatchObject({ exitCode: 0, faults: [] });
  expect(verdictOf({ type: 'ended' }, [complete, failed, server], 'complete')).toEqual({
    exitCode: 1,
    result: 'failed',
    faults: [{ type: 'failed', root: failed }],
  });
});

it('the Pods of Jobs need not keep running', () => {
  const [mine, jobs] = [webPod({ metadata: { uid: 'a' } }), webPod({ metadata: { uid: 'b' } })];
  expect(servingPods([root(workload('StatefulSet'), [mine]), root(workload('Job'), [jobs])])).toEqual([mine]);
});
