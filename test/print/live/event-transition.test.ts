import { describe, expect, it } from 'vitest';
import type { StoredEvent, StoredPod } from '../../../src/api/base/objects.ts';
import { eventTransition } from '../../../src/print/live/event-transition.ts';
import { at, container, webEvent, webPod } from '../pods.ts';
import { storyLine } from '../story.ts';

const textOf = (event: StoredEvent): string | undefined => {
  const transition = eventTransition(event, 0);
  return transition && storyLine(transition);
};
const warning = (reason: string, message: string, container?: string): StoredEvent =>
  webEvent(reason, { type: 'Warning', message, ...(container === undefined ? {} : { container }) });

describe('eventTransition()', () => {
  it.each(['Scheduled', 'Pulled', 'Created', 'Started', 'Failed', 'BackOff', 'FailedScheduling', 'Anything'])(
    'leaves out %s, which a state shows already or no reader needs',
    (reason) => {
      expect(textOf(webEvent(reason, { container: 'main' }))).toBeUndefined();
    },
  );

  it.each<[event: StoredEvent, want: string]>([
    [webEvent('Killing', { container: 'main', message: 'Stopping container main' }), '› main  stopping'],
    [
      webEvent('Killing', { container: 'main', message: 'Container main failed liveness probe, will be restarted' }),
      '✗ main  stopping: its liveness probe failed, it will be restarted',
    ],
    [
      webEvent('Killing', { container: 'i', message: 'Init container i failed startup probe' }),
      '✗ i  stopping: its startup probe failed',
    ],
    [webEvent('Killing', { container: 'main', message: 'something new' }), '› main  stopping: something new'],
    [
      warning('Unhealthy', 'Liveness probe failed: HTTP probe failed with statuscode: 500', 'main'),
      '✗ main  liveness probe failed: HTTP probe failed with statuscode: 500',
    ],
    [warning('Unhealthy', 'Readiness probe failed: ', 'main'), '· main  readiness probe failed'],
    [
      warning('Unhealthy', 'Readiness probe errored and resulted in unknown state: rpc error: x', 'main'),
      '· main  readiness probe errored: rpc error: x',
    ],
    [warning('Unhealthy', 'something new', 'main'), '✗ main  unhealthy: something new'],
    [
      warning('ProbeWarning', 'Liveness probe warning: Probe terminated redirects', 'main'),
      '✗ main  liveness probe warning: Probe terminated redirects',
    ],
    [warning('FailedPostStartHook', 'PostStartHook failed', 'main'), '✗ main  postStart hook failed'],
    [warning('FailedMount', 'no such map'), '✗ Pod  FailedMount: no such map'],
    [webEvent('Pulling', { container: 'main', message: 'Pulling image "x"' }), '· main  pulling image "x"'],
    [webEvent('DeadlineExceeded', { message: 'Pod was active' }), '✗ Pod  deadline exceeded'],
  ])('tells %j', (event, want) => {
    expect(textOf(event)).toBe(want);
  });

  it('reports a repeated event less and less often', () => {
    const counts = Array.from({ length: 20 }, (_, index) => index + 1);
    const seen = counts.filter((count) => eventTransition({ ...warning('FailedMount', 'x'), count }, 0));
    expect(seen).toEqual([1, 2, 4, 8, 16]);
    expect(textOf({ ...warning('FailedMount', 'x'), count: 8 })).toBe('✗ Pod  FailedMount (x8): x');
  });

  it('reports each change of state, however often it comes', () => {
    const killing = webEvent('Killing', {
      container: 'main',
      message: 'Container main failed liveness probe, will be restarted',
    });
    expect([1, 2, 3, 7].map((count) => textOf({ ...killing, count }))).toEqual(
      Array.from({ length: 4 }, () => '✗ main  stopping: its liveness probe failed, it will be restarted'),
    );
  });

  describe('of a container with hooks', () => {
    const hook = { exec: { command: ['true'] } };
    const lifecycle = { postStart: hook, preStop: hook };
    const spec = { containers: [container('main', { lifecycle }), container('other')] };
    const about = (event: StoredEvent, pod = webPod({ spec })): string | undefined => {
      const transition = eventTransition(event, 0, pod);
      return transition && storyLine(transition);
    };
    const started = webEvent('Started', { container: 'main', count: 3 });
    const stopping = webEvent('Killing', { container: 'main', message: 'Stopping container main' });
    const deleted = (graceSeconds: number): StoredPod =>
      webPod({ spec, metadata: { deletionTimestamp: at(30), deletionGracePeriodSeconds: graceSeconds } });

    it('says which of them is waited for', () => {
      expect(about(started)).toBe('› main  started: waiting for its postStart hook');
      expect(about(stopping)).toBe('› main  stopping: waiting for its preStop hook');
      expect(about(stopping, deleted(30))).toBe('› main  stopping: waiting for its preStop hook');
      const failed = { ...stopping, message: 'Container main failed liveness probe, will be restarted' };
      expect(about(failed)).toBe(
        '✗ main  stopping: its liveness probe failed, it will be restarted; waiting for its preStop hook',
      );
    });

    it('says nothing of hooks that do not run', () => {
      expect(about(started, deleted(30))).toBeUndefined();
      expect(about(stopping, deleted(0))).toBe('› main  stopping');
      expect(about({ ...stopping, message: 'killing' })).toBe('› main  stopping: all containers are restarted');
      expect(about(webEvent('Started', { container: 'other' }))).toBeUndefined();
    });
  });

  it('does not blame the container of the first of many events that are combined', () => {
    const unhealthy = warning('Unhealthy', '(combined from similar events): Liveness probe failed: x', 'main');
    expect(textOf({ ...unhealthy, count: 2 })).toBe('✗ Pod  liveness probe failed (x2): x');
  });

  it.each(['Stopping container other', 'Container other definition changed, will be restarted'])(
    'names the container that a combined event names: %s',
    (message) => {
      const event = webEvent('Killing', { container: 'main', message: `(combined from similar events): ${message}` });
      // Each occurrence is about another container: all of them get a line.
      expect(textOf({ ...event, count: 3 })).toMatch(/^› other {2}stopping(?!.*x3)/);
    },
  );

  it('reports a deadline once, though kubelet repeats it', () => {
    expect(textOf(webEvent('DeadlineExceeded', { count: 2 }))).toBeUndefined();
  });

  it('is silent about other objects than Pods', () => {
    const event = warning('FailedMount', 'x');
    expect(textOf({ ...event, involvedObject: { ...event.involvedObject, kind: 'Node' } })).toBeUndefined();
  });
});
