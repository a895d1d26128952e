import { expect, it } from 'vitest';
import { prepareForCreate } from '../../src/manifest/default/create.ts';

it('a new Pod has the values of matchLabelKeys and mismatchLabelKeys in the selectors of its terms, once', () => {
  const term = { topologyKey: 'zone', matchLabelKeys: ['tier', 'none'], mismatchLabelKeys: ['team'] };
  const affinity = (labelSelector: object): object => ({
    podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ ...term, labelSelector }, term] },
    podAntiAffinity: {
      preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm: { ...term, labelSelector } }],
    },
  });
  const own = { key: 'app', operator: 'Exists' };
  const spec = { affinity: affinity({ matchExpressions: [own] }), containers: [] };
  const metadata = { name: 'web', labels: { tier: 'front', team: 'a' } };
  const first = prepareForCreate({ apiVersion: 'v1', kind: 'Pod', metadata, spec });
  const added = [
    { key: 'tier', operator: 'In', values: ['front'] },
    { key: 'team', operator: 'NotIn', values: ['a'] },
  ];
  for (const pod of [first, prepareForCreate(first)]) {
    expect(pod['spec']).toMatchObject({ affinity: affinity({ matchExpressions: [own, ...added] }) });
  }
});
