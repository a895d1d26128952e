import { describe, expect, it } from 'vitest';
import type { StoredPod } from '../../../src/api/objects.ts';
import { stuckPods } from '../../../src/lifecycle/requests/stuck.ts';
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
    expect(stuckPods([pod])).toEqual(isStuck ? [pod] : []);
  });
});

it('counts when nothing else is left', () => {
  const failed = webPod({ status: { phase: 'Failed' } });
  expect(stuckPods([failed, stuck])).toEqual([stuck]);
  expect(stuckPods([webPod(), stuck])).toEqual([]);
  expect(stuckPods([failed])).toEqual([]);
  expect(stuckPods([])).toEqual([]);
});
