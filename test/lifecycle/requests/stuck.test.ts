import { describe, expect, it } from 'vitest';
import type { StoredPod } from '../../../src/api/base/objects.ts';
import { stuckPods } from '../../../src/lifecycle/requests/stuck.ts';
import { root, workload } from '../../controllers/goals/roots.ts';
import { podRoot, type Root } from '../../../src/lifecycle/requests/root.ts';
import { at, container, ended, running, waiting, webPod } from '../../print/pods.ts';

const noImage = waiting('main', 'ImagePullBackOff');
const stuck = webPod({ status: { phase: 'Pending', containerStatuses: [noImage] } });

describe('a Pod waits in vain', () => {
  it.each<[string, StoredPod, boolean]>([
    ['for its image', stuck, true],
    [
      'for an image that is never pulled',
      webPod({ status: { containerStatuses: [waiting('main', 'ErrImageNeverPull')] } }),
      true,
    ],
    [
      'for an image whose name is none',
      webPod({ status: { containerStatuses: [waiting('main', 'InvalidImageName')] } }),
      true,
    ],
    [
      'not before its image was tried',
      webPod({ status: { containerStatuses: [waiting('main', 'ErrImagePull')] } }),
      false,
    ],
    [
      'behind an init container',
      webPod({
        spec: { initContainers: [container('init')] },
        status: {
          initContainerStatuses: [waiting('init', 'ImagePullBackOff')],
          containerStatuses: [waiting('main', 'PodInitializing')],
        },
      }),
      true,
    ],
    [
      'not while another container runs',
      webPod({
        spec: { containers: [container('main'), container('other')] },
        status: { containerStatuses: [noImage, running('other')] },
      }),
      false,
    ],
    [
      'not while another container is in back-off',
      webPod({
        spec: { containers: [container('main'), container('other')] },
        status: { containerStatuses: [noImage, waiting('other', 'CrashLoopBackOff')] },
      }),
      false,
    ],
    [
      'beside one that has ended for good',
      webPod({
        spec: { containers: [container('main'), container('other')] },
        status: { containerStatuses: [noImage, ended('other', 0)] },
      }),
      true,
    ],
    [
      'not beside one that will be started again',
      webPod({
        spec: { restartPolicy: 'Always', containers: [container('main'), container('other')] },
        status: { containerStatuses: [noImage, ended('other', 0)] },
      }),
      false,
    ],
    ['not when a deadline ends it', webPod({ spec: { activeDeadlineSeconds: 5 }, status: stuck.status }), false],
    ['not when somebody has changed it', webPod({ metadata: { generation: 2 }, status: stuck.status }), false],
    ['not when it is being deleted', webPod({ metadata: { deletionTimestamp: at(0) }, status: stuck.status }), false],
    [
      'not when it is about to start',
      webPod({ status: { containerStatuses: [waiting('main', 'ContainerCreating')] } }),
      false,
    ],
  ])('%s', (_, pod, isStuck) => {
    expect(stuckPods([podRoot(pod)])).toEqual(isStuck ? [pod] : []);
  });
});

it('counts when nothing else is left', () => {
  const failed = webPod({ status: { phase: 'Failed' } });
  expect(stuckPods([failed, stuck].map(podRoot))).toEqual([stuck]);
  expect(stuckPods([webPod(), stuck].map(podRoot))).toEqual([]);
  expect(stuckPods([podRoot(failed)])).toEqual([]);
  expect(stuckPods([])).toEqual([]);
});

const FIRST = { generation: 1 };

it.each<[string, Root, boolean]>([
  ['a Deployment whose Pods wait', root(workload('Deployment', {}, {}, FIRST), [stuck, stuck]), true],
  [
    'a Job whose last Pod waits',
    root(workload('Job', {}, {}, FIRST), [webPod({ status: { phase: 'Failed' } }), stuck]),
    true,
  ],
  ['a Job with a deadline', root(workload('Job', {}, { activeDeadlineSeconds: 5 }, FIRST), [stuck]), false],
  ['a workload without Pods yet', root(workload('Deployment', {}, {}, FIRST)), false],
  ['a Deployment that was changed', root(workload('Deployment'), [stuck]), false],
  ['a CronJob', root(workload('CronJob', {}, {}, FIRST), [stuck]), false],
  ['a Pod of it that runs', root(workload('Deployment', {}, {}, FIRST), [stuck, webPod()]), false],
])('the Pods of a workload are stuck: %s', (_, subject, isStuck) => {
  expect(stuckPods([subject]).length > 0).toBe(isStuck);
});
