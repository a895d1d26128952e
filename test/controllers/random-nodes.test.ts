import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ClusterNode } from '../../src/controllers/node/model.ts';
import { NodeWorld, podOn, taintOf } from '../cases/node-world.ts';

const NAMES = ['n1', 'n2', 'n3', 'n4', 'n5', 'n6'];
const ZONES = { n1: 'a', n2: 'a', n3: 'a', n4: 'a', n5: 'b', n6: 'b' };
const KEY = 'node.kubernetes.io/';
/** All periods of the world pass, and each node of a zone has its turn. */
const QUIET_MS = 5000;

const ACTS: ReadonlyArray<(world: NodeWorld, name: string) => void> = [
  (world, name) => world.silence([name]),
  (world, name) => world.wake(name),
  (world, name) => world.report(name, { Ready: 'False' }),
  (world, name) => world.report(name, { Ready: 'True', MemoryPressure: 'True' }),
  (world, name) => world.change(name, () => undefined),
  (world, name) => world.change(name, (node) => ({ ...node, spec: { ...node.spec, unschedulable: true } })),
  (world, name) =>
    world.change(name, (node) => ({ ...node, spec: { ...node.spec, taints: [taintOf('k=v:NoExecute')] } })),
  (world, name) => world.change(name, (node) => ({ ...node, spec: {} })),
];

interface Step {
  readonly act: number;
  readonly name: string;
  readonly pauseMs: number;
}

const steps = fc.array(
  fc.record<Step>({
    act: fc.nat(ACTS.length - 1),
    name: fc.constantFrom(...NAMES),
    pauseMs: fc.constantFrom(1, 99, 350, 1300),
  }),
  { minLength: 1, maxLength: 25 },
);

const keysOf = ({ spec }: ClusterNode, effect: string): string[] =>
  (spec?.taints ?? []).filter((taint) => taint.effect === effect).map(({ key }) => key);

const readyOf = ({ status }: ClusterNode): string | undefined =>
  status?.conditions?.find(({ type }) => type === 'Ready')?.status;

it('whatever happens to nodes, their controllers come to rest, with taints that fit', () => {
  fc.assert(
    fc.property(steps, (list) => {
      const pods = NAMES.flatMap((name) => [
        podOn(name, `${name}-a`),
        podOn(name, `${name}-b`, [{ operator: 'Exists' }]),
      ]);
      const world = new NodeWorld({ nodes: ZONES, pods });
      let nowMs = 100;
      world.runUntil(nowMs);
      for (const { act, name, pauseMs } of list) {
        ACTS[act]?.(world, name);
        nowMs += pauseMs;
        world.runUntil(nowMs);
      }
      world.runUntil(nowMs + QUIET_MS);
      const isAnyReady = world.nodes.some((node) => readyOf(node) === 'True');
      for (const node of world.nodes) {
        const ready = readyOf(node);
        const wanted = { True: [], False: [`${KEY}not-ready`], Unknown: [`${KEY}unreachable`] }[ready ?? ''] ?? [];
        const ofReadiness = (effect: string): string[] =>
          keysOf(node, effect).filter((key) => [`${KEY}not-ready`, `${KEY}unreachable`].includes(key));
        expect(ofReadiness('NoSchedule')).toEqual(wanted);
        expect(wanted).toEqual(expect.arrayContaining(ofReadiness('NoExecute')));
        expect(isAnyReady || ofReadiness('NoExecute').length === 0).toBe(true);
        expect(keysOf(node, 'NoSchedule').includes(`${KEY}unschedulable`)).toBe(node.spec?.unschedulable === true);
      }
      const names = new Set(world.nodes.map(({ metadata }) => metadata.name));
      for (const { spec, metadata } of world.pods) {
        expect(names.has(spec.nodeName ?? '')).toBe(true);
        const node = world.nodes.find((one) => one.metadata.name === spec.nodeName);
        expect(metadata.name.endsWith('-b') || keysOf(node as ClusterNode, 'NoExecute').length === 0).toBe(true);
      }
      const deletions = world.seen(/DELETE/).map((line) => line.split(' ')[2]);
      expect(new Set(deletions).size).toBe(deletions.length);
    }),
    { numRuns: 300 },
  );
});
