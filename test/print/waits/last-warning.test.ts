import { describe, expect, it } from 'vitest';
import type { StoredEvent } from '../../../src/api/base/objects.ts';
import { explainPod } from '../../../src/print/waits/explain-pod.ts';
import { at, webEvent, webPod } from '../pods.ts';

const UNTIL_MS = Date.parse(at(0));
const warning = (reason: string, message: string, seconds = -5, lastSeconds = seconds): StoredEvent =>
  webEvent(reason, { type: 'Warning', message, firstTimestamp: at(seconds), lastTimestamp: at(lastSeconds) });
const mount = warning('FailedMount', 'MountVolume.SetUp failed for volume "c" : configmap "c" not found\n');

/** The last warning in the explanation of a Pod that runs. */
function lastWarning(events: StoredEvent[]): string | undefined {
  const evidence = { attempts: [], hooks: [], logs: new Map(), events };
  return /^ {2}last warning: (.*)$/m.exec(explainPod({ pod: webPod(), evidence, untilMs: UNTIL_MS }))?.[1];
}

describe('the last warning about a Pod', () => {
  it.each<[what: string, events: StoredEvent[], want: string | undefined]>([
    ['of no events', [], undefined],
    ['one', [mount], 'FailedMount: MountVolume.SetUp failed for volume "c" : configmap "c" not found'],
    ['the latest', [warning('Unhealthy', 'no', -2), warning('FailedMount', 'm', -9)], 'Unhealthy: no'],
    [
      'one that was seen again',
      [warning('FailedMount', 'm', -9, -1), warning('Unhealthy', 'no', -2)],
      'FailedMount: m',
    ],
    ['not what a status says, too', [warning('BackOff', 'Back-off', -1)], undefined],
    ['not what is no warning', [webEvent('Killing', { message: 'Stopping container main' })], undefined],
    ['not what came after the end', [warning('FailedPreStopHook', 'PreStopHook failed', 1)], undefined],
    ['what began before the end and went on', [warning('Unhealthy', 'no', -1, 3)], 'Unhealthy: no'],
    [
      'of several lines',
      [warning('Unhealthy', 'Readiness probe failed: a\n  b\n')],
      'Unhealthy: Readiness probe failed: a b',
    ],
  ])('finds %s', (_, events, want) => {
    expect(lastWarning(events)).toBe(want);
  });
});
