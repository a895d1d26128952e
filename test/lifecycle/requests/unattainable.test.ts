import { describe, expect, it } from 'vitest';
import type { StoredPod } from '../../../src/api/base/objects.ts';
import { isUnattainable, type WantedState } from '../../../src/lifecycle/requests/goal.ts';
import { at, conditions, container, ended, running, sidecar, waiting, webPod } from '../../print/pods.ts';

const ready: WantedState = { type: 'condition', condition: 'Ready', status: 'True' };
const succeeded: WantedState = { type: 'succeeded' };
const custom: WantedState = { type: 'condition', condition: 'example.com/ok', status: 'True' };
const phase = (name: string): WantedState => ({ type: 'phase', phase: name });

const unready = conditions({ PodScheduled: 'True', Initialized: 'True', Ready: 'False', ContainersReady: 'False' });
const pod = (status: StoredPod['status'], spec: Partial<StoredPod['spec']> = {}): StoredPod =>
  webPod({ spec, status: { conditions: unready, ...status } });
const two = [container('a'), container('b')];
const podOf = (name: 'Failed' | 'Running' | 'Succeeded' | 'Unknown' | 'Pending'): StoredPod => pod({ phase: name });
const leaving = { ...podOf('Running'), metadata: { ...podOf('Running').metadata, deletionTimestamp: at(20) } };

describe('isUnattainable()', () => {
  it.each<[what: string, wanted: WantedState, pod: StoredPod]>([
    ['Ready of a Pod that has Succeeded', ready, podOf('Succeeded')],
    ['Ready of a Pod that has Failed', ready, podOf('Failed')],
    ['Ready of a Pod that no podrun runs', ready, podOf('Unknown')],
    ['Ready of a Pod that is being deleted', ready, leaving],
    ['Initialized of a Pod that has Failed', { ...ready, condition: 'initialized' }, podOf('Failed')],
    [
      'Ready once one of two has done its work',
      ready,
      pod({ containerStatuses: [ended('a', 0), running('b')] }, { containers: two }),
    ],
    [
      'Ready of a Pod whose end the conditions tell before its phase does',
      ready,
      pod({ conditions: [{ type: 'ContainersReady', status: 'False', reason: 'PodFailed' }] }),
    ],
    ['success of a Pod that has Failed', succeeded, podOf('Failed')],
    ['success of a Pod that no podrun runs', succeeded, podOf('Unknown')],
    ['to run, of a Pod that has Succeeded', phase('Running'), podOf('Succeeded')],
    ['to succeed, of a Pod that has Failed', phase('Succeeded'), podOf('Failed')],
    ['to fail, of a Pod that has Succeeded', phase('Failed'), podOf('Succeeded')],
    ['a phase that is none', phase('Ready'), podOf('Running')],
  ])('%s', (_, wanted, given) => {
    expect(isUnattainable(wanted, given)).toBe(true);
  });

  it.each<[what: string, wanted: WantedState, pod: StoredPod]>([
    [
      'a container that crashes is started again',
      ready,
      pod({ containerStatuses: [waiting('main', 'CrashLoopBackOff')] }, { restartPolicy: 'Always' }),
    ],
    [
      'so is one that could not be started',
      ready,
      pod({ containerStatuses: [ended('main', 128, { reason: 'StartError' })] }, { restartPolicy: 'OnFailure' }),
    ],
    [
      'an init container is tried again',
      ready,
      pod(
        { phase: 'Pending', initContainerStatuses: [ended('setup', 3)] },
        { restartPolicy: 'OnFailure', initContainers: [container('setup')] },
      ),
    ],
    ['an image may come', ready, pod({ phase: 'Pending', containerStatuses: [waiting('main', 'ImagePullBackOff')] })],
    [
      'a ConfigMap may be made',
      ready,
      pod({ phase: 'Pending', containerStatuses: [waiting('main', 'CreateContainerConfigError')] }),
    ],
    [
      'a sidecar is started again',
      ready,
      pod({ initContainerStatuses: [ended('proxy', 1)] }, { initContainers: [sidecar('proxy')] }),
    ],
    [
      'a node may come',
      ready,
      pod({ phase: 'Pending', conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }] }),
    ],
    [
      'who was killed by a probe is started again, whatever it ended with',
      ready,
      pod(
        { containerStatuses: [ended('main', 0)] },
        { restartPolicy: 'OnFailure', containers: [container('main', { livenessProbe: {} })] },
      ),
    ],
    [
      'another container may restart all of them',
      ready,
      pod(
        { containerStatuses: [ended('a', 0), running('b')] },
        {
          containers: [
            container('a'),
            container('b', {
              restartPolicy: 'Never',
              restartPolicyRules: [{ action: 'RestartAllContainers', exitCodes: { operator: 'In', values: [4] } }],
            }),
          ],
        },
      ),
    ],
    ['a Pod that is being deleted may succeed', succeeded, leaving],
    ['whoever has a condition may set it at any time', custom, podOf('Failed')],
    ['not Ready is what a Pod may become', { ...ready, status: 'False' }, leaving],
    ['a Pod may become lost', phase('Unknown'), podOf('Running')],
  ])('not: %s', (_, wanted, given) => {
    expect(isUnattainable(wanted, given)).toBe(false);
  });
});
