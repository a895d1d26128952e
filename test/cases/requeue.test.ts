import { describe, expect, it } from 'vitest';
import type { KubeObject, StoredPod } from '../../src/api/index.ts';
import { attempt } from '../../src/lifecycle/scheduling/attempt.ts';
import type { SchedulingNode } from '../../src/lifecycle/scheduling/base/snapshot.ts';
import type { ClusterEvent } from '../../src/lifecycle/scheduling/queue/cluster-event.ts';
import { SchedulingQueue } from '../../src/lifecycle/scheduling/queue/scheduling-queue.ts';
import { readCluster } from '../../src/lifecycle/scheduling/read-cluster.ts';
import { readCases } from './cases.ts';
import { completed } from './completed.ts';

interface Step {
  readonly name: string;
  readonly op: 'add' | 'update' | 'delete';
  readonly object: KubeObject;
}

interface Case {
  readonly id: string;
  readonly objects: readonly KubeObject[];
  readonly pod: KubeObject;
  readonly then: readonly Step[];
  readonly expected: {
    readonly message: string;
    readonly unschedulablePlugins?: readonly string[];
    readonly requeue: ReadonlyArray<{ readonly step: string; readonly queue: string }>;
  };
}

const { data, options } = readCases<{ requeue: readonly Case[] }>('scheduling-cases.json');
const cases = data?.requeue ?? [];

describe('the queue of the scheduler', options, () => {
  it.each(cases.map(({ id }) => id))('%s', (id) => {
    const { objects, pod, then, expected } = cases.find((each) => each.id === id) as Case;
    expect(run(objects.map(completed), completed(pod), then)).toEqual({
      message: expected.message,
      unschedulablePlugins: expected.unschedulablePlugins ?? [],
      requeue: expected.requeue,
    });
  });

  it('has cases', () => {
    expect(cases.length).toBeGreaterThan(0);
  });
});

/** Tries the Pod once, makes the changes one after the other, and says where the Pod is after each. */
function run(objects: readonly KubeObject[], object: KubeObject, steps: readonly Step[]): Record<string, unknown> {
  const pod = object as unknown as StoredPod;
  let cluster = objects;
  const queue = new SchedulingQueue(readCluster(cluster));
  const places: { step: string; queue: string | undefined }[] = [];
  const note = (step: string): void => void places.push({ step, queue: queue.placeOf(pod.metadata.uid) });
  queue.add(pod);
  expect(queue.pop(0)).toBe(pod);
  const outcome = attempt(pod, readCluster(cluster));
  if (outcome.type !== 'waits') throw new Error(`the Pod does not wait: ${outcome.type}`);
  const { message, filtered, chosen } = outcome;
  queue.failed(pod, { plugins: filtered.plugins, message }, 0);
  for (const before of chosen?.victims ?? []) {
    queue.heard({ kind: 'Pod', before }, 0);
    cluster = cluster.filter(({ metadata }) => metadata.uid !== before.metadata.uid);
  }
  note('after the failed attempt');
  for (const step of steps) {
    const changed = completed(step.object);
    const others = cluster.filter((each) => !isSame(each, changed));
    const next = step.op === 'delete' ? others : [...others, changed];
    if (isSame(changed, object)) queue.update(changed as unknown as StoredPod, 0);
    else queue.heard(eventOf(changed, cluster, next), 0);
    cluster = next;
    note(step.name);
  }
  return { message, unschedulablePlugins: filtered.plugins, requeue: places };
}

function eventOf(object: KubeObject, before: readonly KubeObject[], after: readonly KubeObject[]): ClusterEvent {
  const [old, now] = [before, after].map((objects) =>
    object.kind === 'Node' ? nodeOf(object, objects) : objects.find((each) => isSame(each, object)),
  );
  return { kind: object.kind, before: old, after: now } as ClusterEvent;
}

function nodeOf({ metadata }: KubeObject, objects: readonly KubeObject[]): SchedulingNode | undefined {
  return readCluster(objects).nodes.find(({ node }) => node.name === metadata.name)?.node;
}

function isSame(one: KubeObject, other: KubeObject): boolean {
  const [own, its] = [one.metadata, other.metadata];
  return one.kind === other.kind && own.name === its.name && own.namespace === its.namespace;
}
