import { describe, expect, it } from 'vitest';
import type { StoredPod } from '../../../src/api/base/objects.ts';
import { place } from '../../../src/lifecycle/scheduling/placement.ts';
import { schedule } from '../../../src/lifecycle/scheduling/schedule.ts';
import { node, podWith, requesting } from '../base-objects.ts';

/** A Pod on the node, which has two cores. */
function placed(name: string, cpu: string, priority: number, more: Partial<StoredPod['metadata']> = {}): StoredPod {
  return podWith({ priority, nodeName: node.name, containers: [requesting({ cpu })] }, { name, uid: name, ...more });
}

const wanting = (cpu: string, spec: Partial<StoredPod['spec']> = {}): StoredPod =>
  podWith({ priority: 100, containers: [requesting({ cpu })], ...spec }, { name: 'high' });

const ending = placed('going', '1', 1, { deletionTimestamp: '2026-11-20T20:00:01Z' });

/** The same Pod, deleted by the scheduler. */
function preempted(pod: StoredPod): StoredPod {
  const conditions = [{ type: 'DisruptionTarget', status: 'True', reason: 'PreemptionByScheduler' }];
  return { ...pod, status: { ...pod.status, conditions } };
}

function nominated(pod: StoredPod): StoredPod {
  return { ...pod, status: { ...pod.status, nominatedNodeName: node.name } };
}

/** The names of the Pods that go, or the message of the Pod that waits. */
function answerTo(pod: StoredPod, others: readonly StoredPod[]): readonly string[] | string {
  const answer = schedule(pod, { nodes: [node], placed: others });
  if (answer.type !== 'waits') return answer.type;
  return answer.preempts?.victims.map(({ metadata }) => metadata.name) ?? answer.message;
}

const waits = (why: string, reason = '1 Insufficient cpu'): string =>
  `0/1 nodes are available: ${reason}. no new claims to deallocate, preemption: ${why}`;

describe('a Pod of higher priority', () => {
  it.each<{ readonly name: string; readonly pod: StoredPod; readonly others: StoredPod[]; readonly want: unknown }>([
    {
      name: 'takes the place of the least important Pod that is enough',
      pod: wanting('1'),
      others: [placed('middle', '1', 50), placed('low', '1', 10)],
      want: ['low'],
    },
    {
      name: 'leaves those running that fit beside it',
      pod: wanting('1500m'),
      others: [placed('small', '500m', 10), placed('large', '1500m', 20)],
      want: ['large'],
    },
    {
      name: 'takes no place of a Pod of its own priority',
      pod: wanting('1'),
      others: [placed('equal', '2', 100)],
      want: waits('0/1 nodes are available: 1 No preemption victims found for incoming pod.'),
    },
    {
      name: 'ends no Pod when that is not enough',
      pod: wanting('1'),
      others: [placed('equal', '1500m', 100), placed('low', '500m', 1)],
      want: waits('0/1 nodes are available: 1 Insufficient cpu.'),
    },
    {
      name: 'ends no Pod when it is too large for the node',
      pod: wanting('3'),
      others: [placed('low', '1', 1)],
      want: waits('0/1 nodes are available: 1 Preemption is not helpful for scheduling.'),
    },
    {
      name: 'ends no Pod with preemptionPolicy Never',
      pod: wanting('1', { preemptionPolicy: 'Never' }),
      others: [placed('low', '2', 1)],
      want: waits('not eligible due to preemptionPolicy=Never.'),
    },
    {
      name: 'waits for a Pod that is already going for it',
      pod: nominated(wanting('1')),
      others: [preempted(ending), placed('low', '1', 1)],
      want: waits('not eligible due to a terminating pod on the nominated node.'),
    },
    {
      name: 'does not wait for a Pod that ends for another reason',
      pod: nominated(wanting('1')),
      others: [ending, placed('low', '1', 0)],
      want: ['low'],
    },
  ])('$name', ({ pod, others, want }) => {
    expect(answerTo(pod, others)).toEqual(want);
  });

  it('has the short message and a nominated node while it waits', () => {
    const facts = { nodes: [node], placed: [placed('low', '2', 1)], now: { wallMs: 0, monotonicMs: 0 } };
    expect(place(wanting('1'), facts)).toMatchObject({
      type: 'waits',
      status: { nominatedNodeName: node.name },
      event: { message: '0/1 nodes are available: 1 Insufficient cpu.' },
    });
  });
});
