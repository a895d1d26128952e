import { describe, expect, it } from 'vitest';
import type { ContainerState, ContainerStatus } from '../../../src/api/generated/types.ts';
import type { StoredPod } from '../../../src/api/base/objects.ts';
import { chooseDefaultContainer, chooseLog } from '../../../src/lifecycle/requests/default-container.ts';

const meta = { name: 'web', namespace: 'default', uid: 'u', resourceVersion: '1', creationTimestamp: '' };
const running: ContainerState = { running: {} };
const ended: ContainerState = { terminated: { exitCode: 0, containerID: 'podrun://x' } };
const lost: ContainerState = { terminated: { exitCode: 137 } };
const waiting = (reason: string): ContainerState => ({ waiting: { reason } });

function podWith(changes: Partial<ContainerStatus> | undefined): StoredPod {
  const status = { name: 'main', image: '', imageID: '', ready: false, restartCount: 2, ...changes };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: meta,
    spec: { containers: [{ name: 'main' }] },
    status: { phase: 'Running', containerStatuses: changes === undefined ? [] : [status] },
  };
}

describe('chooseLog()', () => {
  it.each([
    { name: 'that runs', status: { state: running }, want: { restartCount: 2, isRunning: true } },
    { name: 'that ended', status: { state: ended }, want: { restartCount: 2, isRunning: false } },
    {
      name: 'that waits to be restarted: the instance that ended last',
      status: { state: waiting('CrashLoopBackOff'), lastState: ended },
      want: { restartCount: 2, isRunning: false },
    },
    {
      name: 'that was lost: the instance before',
      status: { state: lost, lastState: ended },
      want: { restartCount: 1, isRunning: false },
    },
  ])('of a container $name', ({ status, want }) => {
    expect(chooseLog(podWith(status), 'main', false)).toEqual({ ok: true, ...want });
  });

  it.each([
    { status: undefined, want: 'container "main" in pod "web" is not available' },
    { status: { state: lost }, want: 'container "main" in pod "web" is terminated' },
    { status: { state: waiting('PodInitializing') }, want: 'is waiting to start: PodInitializing' },
    { status: { state: waiting('ErrImagePull') }, want: "is waiting to start: image can't be pulled" },
    { status: { state: waiting('ImagePullBackOff') }, want: 'is waiting to start: trying and failing to pull image' },
    { status: { state: {} }, want: 'is waiting to start - no logs yet' },
  ])('says why there is none: $want', ({ status, want }) => {
    expect(chooseLog(podWith(status), 'main', false)).toMatchObject({
      ok: false,
      message: expect.stringContaining(want) as string,
    });
  });

  it.each([
    { name: 'while it runs', status: { state: running, lastState: ended }, want: 1 },
    { name: 'after it ended', status: { state: ended, lastState: ended }, want: 1 },
    { name: 'while it waits to be restarted', status: { state: waiting('x'), lastState: ended }, want: 2 },
  ])('of the previous instance $name', ({ status, want }) => {
    expect(chooseLog(podWith(status), 'main', true)).toMatchObject({ ok: true, restartCount: want, isRunning: false });
  });

  it.each([{ state: running }, { state: running, lastState: lost }])('of no previous instance', (status) => {
    expect(chooseLog(podWith(status), 'main', true)).toEqual({
      ok: false,
      message: 'previous terminated container "main" in pod "web" not found',
    });
  });
});

describe('defaultContainer()', () => {
  const pod = podWith({});
  const several = {
    ...pod,
    spec: {
      initContainers: [{ name: 'setup' }],
      containers: [{ name: 'main' }, { name: 'side' }],
      ephemeralContainers: [{ name: 'debugger' }],
    },
  };
  const annotated = (name: string): StoredPod => ({
    ...several,
    metadata: { ...meta, annotations: { 'kubectl.kubernetes.io/default-container': name } },
  });
  const choice = 'Defaulted container "main" out of: main, side, debugger (ephem), setup (init)\n';

  it.each([
    { name: 'the only one, without a word', of: pod, want: { name: 'main', note: undefined } },
    { name: 'the first of several', of: several, want: { name: 'main', note: choice } },
    { name: 'the one that the Pod names', of: annotated('side'), want: { name: 'side', note: undefined } },
    {
      name: 'the first when the Pod names one that it has not',
      of: annotated('nope'),
      want: { name: 'main', note: `Default container name "nope" not found in pod web\n${choice}` },
    },
  ])('is $name', ({ of, want }) => {
    expect(chooseDefaultContainer(of)).toEqual(want);
  });
});
