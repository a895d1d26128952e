import { describe, expect, it } from 'vitest';
import type { PodStatus } from '../../../src/api/generated/types.ts';
import type { StoredPod } from '../../../src/api/base/objects.ts';
import { parseGoal } from '../../../src/lifecycle/requests/goal.ts';
import { lapseAtEnd, lapseOf } from '../../../src/lifecycle/requests/goal-watch.ts';
import { at, conditions, container, ended, running, sidecar, waiting, webPod } from '../../print/pods.ts';

const READY = parseGoal('ready') ?? { type: 'failed' };
const INITIALIZED = parseGoal('Initialized') ?? { type: 'failed' };
const NOT_READY = conditions({ Ready: 'False', ContainersReady: 'False' });

const spec = { restartPolicy: 'Always' as const, initContainers: [sidecar('proxy')] };
const before = webPod({ spec, status: { initContainerStatuses: [running('proxy')] } });
const after = (status: Partial<PodStatus>, change: Parameters<typeof webPod>[0] = {}): StoredPod =>
  webPod({
    ...change,
    spec: { ...spec, ...change.spec },
    status: { initContainerStatuses: [running('proxy')], ...status },
  });

const restarted = after({ containerStatuses: [running('main', { restartCount: 1 })] });
const down = after({ conditions: NOT_READY, containerStatuses: [waiting('main', 'CrashLoopBackOff')] });
const done = after({ phase: 'Succeeded', conditions: NOT_READY, containerStatuses: [ended('main', 0)] });
const failed = after({ phase: 'Failed', conditions: NOT_READY, containerStatuses: [ended('main', 3)] });

describe('a Pod that had been Ready', () => {
  it.each<[string, StoredPod, string | undefined]>([
    ['is as it was', before, undefined],
    ['lost its readiness only', after({ conditions: NOT_READY }), undefined],
    ['has a container that ended', down, 'main'],
    ['has a container that was restarted', restarted, 'main'],
    [
      'has a sidecar that was restarted',
      after({ initContainerStatuses: [running('proxy', { restartCount: 2 })] }),
      'proxy',
    ],
    ['has done its work', done, 'main'],
    ['failed', failed, 'main'],
    [
      'is being deleted',
      after({ containerStatuses: [ended('main', 143)] }, { metadata: { deletionTimestamp: at(0) } }),
      undefined,
    ],
    [
      'got another image',
      after(
        { containerStatuses: [running('main', { restartCount: 1 })] },
        { spec: { containers: [container('main', { image: 'alpine' })] } },
      ),
      undefined,
    ],
  ])('%s', (_, now, name) => {
    expect(lapseOf(READY, before, now, false)).toEqual(name === undefined ? undefined : { pod: now, container: name });
  });

  it.each<[string, StoredPod, boolean]>([
    ['is up again', restarted, false],
    ['is down', down, true],
    ['has ended', done, true],
    ['is as it was', before, false],
  ])('may be restarted where that is allowed: at the end it %s', (_, now, isLapse) => {
    const early = lapseOf(READY, before, now, true);
    expect(early).toBeUndefined();
    expect(lapseAtEnd(READY, before, now)).toEqual(isLapse ? { pod: now, container: 'main' } : undefined);
  });

  it('fails also where restarts are allowed', () => {
    expect(lapseOf(READY, before, failed, true)).toEqual({ pod: failed, container: 'main' });
  });

  it('is lost with the podrun that ran it', () => {
    const lost = after({ phase: 'Unknown' });
    expect(lapseOf(READY, before, lost, false)).toEqual({ pod: lost, container: undefined });
  });
});

it('is about failures only after a goal without Ready', () => {
  expect(lapseOf(INITIALIZED, before, down, false)).toBeUndefined();
  expect(lapseOf(INITIALIZED, before, done, false)).toBeUndefined();
  expect(lapseOf(INITIALIZED, before, failed, false)).toEqual({ pod: failed, container: 'main' });
  expect(lapseOf({ type: 'failed' }, before, failed, false)).toBeUndefined();
});
