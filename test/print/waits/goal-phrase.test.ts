import { describe, expect, it } from 'vitest';
import type { StoredPod } from '../../../src/api/base/objects.ts';
import { parseGoal } from '../../../src/lifecycle/requests/goal.ts';
import { NO_RECORDS } from '../../../src/history/evidence.ts';
import { goalPhrase } from '../../../src/print/waits/goal-phrase.ts';
import { NOW_MS, running, webPod } from '../pods.ts';

const warm = (status: string, reason?: string): StoredPod =>
  webPod({ status: { conditions: [{ type: 'example.com/Warm', status, reason }] } });

describe('goalPhrase()', () => {
  it.each<[want: string, goal: string, pod: StoredPod]>([
    ['condition example.com/warm to be True: it is not set', 'example.com/warm', webPod()],
    ['condition example.com/warm to be True: it is False (Cold)', 'example.com/warm', warm('False', 'Cold')],
    ['condition example.com/warm to be False: it is True', 'example.com/warm=false', warm('True')],
    ['condition ready to be False: it is True', 'ready=false', webPod()],
    ['condition redy to be True: it is not set, did you mean ready?', 'redy', webPod()],
    ['condition succeded to be True: it is not set, did you mean succeeded?', 'succeded', webPod()],
    [
      'condition PodSchedule to be True: it is not set, did you mean PodScheduled?',
      'PodSchedule',
      webPod({ status: { conditions: [] } }),
    ],
    // A condition in readinessGates is not misspelt.
    [
      'condition redy to be True: it is not set',
      'redy',
      webPod({ spec: { readinessGates: [{ conditionType: 'redy' }] } }),
    ],
    [
      'container main to become ready (readiness probe)',
      'ready',
      webPod({ status: { containerStatuses: [running('main', { ready: false })] } }),
    ],
  ])('%s', (want, goal, pod) => {
    expect(goalPhrase(pod, parseGoal(goal), NOW_MS, NO_RECORDS)).toBe(want);
  });
});
