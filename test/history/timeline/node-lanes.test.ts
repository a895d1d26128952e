import { expect, it } from 'vitest';
import type { StoredEvent } from '../../../src/api/base/objects.ts';
import { type NodeLane, nodeLanes } from '../../../src/history/timeline/node-lanes.ts';
import type { Timeline } from '../../../src/history/timeline/model.ts';

const ORIGIN_MS = Date.UTC(2026, 0, 1);

/** A Pod of a node, from its binding until its end. Milliseconds since the origin. */
function pod(nodeName: string, createdMs: number, boundMs: number, endMs: number): Timeline {
  return {
    createdAtMs: ORIGIN_MS + createdMs,
    endMs: endMs - createdMs,
    conditions: [{ type: 'PodScheduled', status: 'True', fromMs: boundMs - createdMs, toMs: endMs - createdMs }],
    phases: [],
    pod: { spec: { nodeName } },
  } as unknown as Timeline;
}

function event(node: string, reason: string, message: string, ...timesMs: readonly number[]): StoredEvent {
  const [first = 0, last = first] = timesMs.map((ms) => new Date(ORIGIN_MS + ms).toISOString());
  const involvedObject = { kind: 'Node', name: node };
  return { reason, message, involvedObject, firstTimestamp: first, lastTimestamp: last } as unknown as StoredEvent;
}

const lanes = (timelines: readonly Timeline[], nodes: readonly string[], events: readonly StoredEvent[]): NodeLane[] =>
  nodeLanes({ timelines, nodes, events, originMs: ORIGIN_MS });

it('counts the Pods of each node, from their binding to their end', () => {
  const pods = [pod('node-2', 0, 100, 900), pod('node-2', 0, 200, 400), pod('node-10', 300, 500, 800)];
  const counts = lanes(pods, ['node-10', 'node-1', 'node-2'], []).map((lane) => [
    lane.name,
    ...lane.counts.map(({ fromMs, toMs, pods: count }) => `${fromMs}-${toMs} ${count}`),
  ]);
  expect(counts).toEqual([
    ['node-1', '0-900 0'],
    ['node-2', '0-100 0', '100-200 1', '200-400 2', '400-900 1'],
    ['node-10', '0-500 0', '500-800 1', '800-900 0'],
  ]);
});

it('says when a node was away, and how it began', () => {
  const events = [
    event('n1', 'NodeReady', 'Node n1 status is now: NodeReady', -50, 400),
    event('n1', 'FaultInjected', 'node n1 is silent (--inject node:n1=silent@1s)', 100),
    event('n1', 'NodeNotReady', 'Node n1 status is now: NodeNotReady', 200, 700),
    event('n2', 'Rebooted', 'Node n2 has been rebooted, boot id: 1', 500),
    { ...event('n2', 'NodeNotReady', 'Node is not ready', 600), involvedObject: { kind: 'Pod', name: 'n2' } },
  ];
  const [first, second] = lanes([pod('n1', 0, 0, 1000)], ['n1', 'n2'], events);
  expect(first?.away).toEqual([
    { fromMs: 100, toMs: 400, how: 'silent' },
    { fromMs: 700, toMs: 1000, how: 'NotReady' },
  ]);
  expect(second?.away).toEqual([]);
});

it('there are none for one node', () => {
  expect(lanes([pod('n1', 0, 0, 100)], ['n1'], [])).toEqual([]);
});
