import { expect, it } from 'vitest';
import type { StoredPod } from '../../src/api/base/objects.ts';
import { run, shellPod } from './pods.ts';

/** Pods that must not be on one node. */
const apart = (name: string): object => {
  const labelSelector = { matchLabels: { app: 'web' } };
  const required = [{ topologyKey: 'kubernetes.io/hostname', labelSelector }];
  const affinity = { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } };
  const pod = shellPod(name, 'exec sleep 600', {}, { affinity });
  return { ...pod, metadata: { name, labels: { app: 'web' } } };
};
const nodesOf = (pods: readonly StoredPod[]): string[] => pods.map(({ spec }) => spec.nodeName ?? '').toSorted();

it('run spreads Pods over its nodes, and warns of no rule between them', async () => {
  const warnings: string[] = [];
  const onWarning = (text: string): void => void warnings.push(text);
  await using pods = await run([apart('a'), apart('b'), apart('c')], { nodes: 3, onWarning });
  await pods.until('Ready');
  const all = ['a', 'b', 'c'].map((name) => pods.get(name));
  expect(nodesOf(all)).toEqual(['node-1', 'node-2', 'node-3']);
  expect(warnings).toEqual([]);
});

it('run declares each node of a list, and the Nodes of its manifests', async () => {
  const small = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'small' } };
  const full = { name: 'full', unschedulable: true };
  await using pods = await run([small, shellPod('a', 'exec sleep 600')], { nodes: [full] });
  await pods.until('Ready');
  expect(pods.get('a').spec.nodeName).toBe('small');
});

it('run refuses what are no nodes', async () => {
  const wrong = run(shellPod('a', 'true'), { nodes: 0 });
  await expect(wrong).rejects.toThrow(
    "option nodes of run() must be a number from 1 to 1000, or a list like [{ name: 'node-1' }]",
  );
});
