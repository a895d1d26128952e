import { describe, expect, it } from 'vitest';
import {
  keptGoal,
  mustHold,
  parseRunGoal,
  type RunGoal,
  runGoalState,
  runGoalText,
  UP,
  wantedOf,
} from '../../../src/controllers/goals/run-goal.ts';
import { podRoot, type Root } from '../../../src/lifecycle/requests/root.ts';
import { conditions, webPod } from '../../print/pods.ts';
import { condition, root, workload } from './roots.ts';

const FULL = { replicas: 3, readyReplicas: 3, availableReplicas: 3, updatedReplicas: 3 };
const server = root(workload('Deployment', FULL));
const starting = root(workload('Deployment'));
const serving = root(workload('Job', { active: 1, ready: 1 }));
const complete = root(workload('Job', { conditions: [condition('Complete')], succeeded: 1 }));
const failed = root(workload('Job', { conditions: [condition('Failed')] }));
const readyPod = podRoot(webPod({ spec: { restartPolicy: 'Never' } }));
const endedPod = podRoot(
  webPod({
    spec: { restartPolicy: 'Never' },
    status: { phase: 'Succeeded', conditions: conditions({ Ready: 'False' }) },
  }),
);
const restartedPod = podRoot(webPod({ spec: { restartPolicy: 'Always' } }));

const goal = (...texts: readonly string[]): RunGoal => {
  const parsed = parseRunGoal(texts);
  if (parsed === undefined) throw new Error(`no goal: ${texts.join(' ')}`);
  return parsed;
};

describe('the goal of a run', () => {
  it.each<[string, RunGoal, Root, string]>([
    ['`up` is reached by a server that is Ready', UP, server, 'met'],
    ['`up` waits for a server', UP, starting, 'pending'],
    ['`up` waits for a Job whose Pod is Ready', UP, serving, 'pending'],
    ['`up` is reached by a Job that is Complete', UP, complete, 'met'],
    ['`up` cannot be reached by a Job that has Failed', UP, failed, 'impossible'],
    ['`up` is reached by a Pod that is Ready', UP, readyPod, 'met'],
    ['ready alone is reached by a Job whose Pod is Ready', goal('ready'), serving, 'met'],
    ['of ready and complete a Job needs the end', goal('ready', 'complete'), serving, 'pending'],
    ['of complete and ready a server needs to be Ready', goal('complete', 'ready'), server, 'met'],
    ['of ready and complete a Pod that ends by itself needs the end', goal('ready', 'complete'), readyPod, 'pending'],
    ['of ready and complete an ended Pod has reached the end', goal('ready', 'complete'), endedPod, 'met'],
    ['of ready and complete a Pod that restarts needs to be Ready', goal('ready', 'complete'), restartedPod, 'met'],
    ['two conditions are both needed', goal('ready', 'Available=False'), server, 'pending'],
    ['a part that does not concern the kind is no obstacle', goal('ready', 'PodScheduled'), server, 'met'],
  ])('%s', (_, wanted, of, state) => {
    expect(runGoalState(wanted, of)).toBe(state);
  });

  it('names what a root lacks', () => {
    expect(wantedOf(UP, serving)).toEqual({ type: 'succeeded' });
    expect(wantedOf(goal('ready', 'example.com/lb'), restartedPod)).toMatchObject({ condition: 'example.com/lb' });
    expect(wantedOf(goal('failed'), server)).toBeUndefined();
  });

  it.each([
    [['up'], 'Ready and Complete', true],
    [['complete'], 'Succeeded', false],
    [['ready', 'ready'], 'ready', true],
    [['Initialized', 'available'], 'Initialized and available', true],
  ])('%j reads %s', (texts, text, holds) => {
    expect({ text: runGoalText(goal(...texts)), holds: mustHold(goal(...texts)) }).toEqual({ text, holds });
    expect(keptGoal(goal(...texts)).type).toBe(holds ? 'condition' : 'succeeded');
  });

  it.each([[[]], [['ready', '']], [['=True']], [['ready', 'a b']]])('%j is none', (texts) => {
    expect(parseRunGoal(texts)).toBeUndefined();
  });
});
