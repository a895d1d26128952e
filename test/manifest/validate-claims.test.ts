import { describe, expect, it } from 'vitest';
import { linesOf, object, pod, template } from './objects.ts';

describe('claims', () => {
  const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
  const claim = (fields: object): string[] =>
    linesOf({ apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'c' }, spec: { ...spec, ...fields } });

  it('ask for a mode and some storage', () => {
    expect(claim({})).toEqual([]);
    expect(
      claim({ accessModes: ['ReadWriteOncePod', 'ReadOnlyMany', 'Any'], resources: {}, volumeMode: 'Tape' }),
    ).toEqual([
      'spec.accessModes: Unsupported value: "Any": ' +
        'supported values: "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"',
      'spec.accessModes: Forbidden: may not use ReadWriteOncePod with other access modes',
      'spec.resources[storage]: Required value',
      'spec.volumeMode: Unsupported value: "Tape": supported values: "Block", "Filesystem"',
    ]);
    expect(claim({ accessModes: [], resources: { requests: { storage: '0' } } })).toEqual([
      'spec.accessModes: Required value: at least 1 access mode is required',
      'spec.resources[storage]: Invalid value: "0": must be greater than zero',
    ]);
  });

  it('of a Pod are named after it, and only their labels and annotations can be chosen', () => {
    const volumes = [
      { name: 'v', ephemeral: { volumeClaimTemplate: { metadata: { name: 'mine', labels: { a: 'b' } }, spec } } },
      { name: 'w', persistentVolumeClaim: { claimName: 'demo-v' } },
    ];
    expect(linesOf(pod({ volumes }))).toEqual([
      'spec.volumes[0].ephemeral.volumeClaimTemplate.metadata.name: Forbidden: cannot be set',
      'spec.volumes[1].persistentVolumeClaim.claimName: Invalid value: "demo-v": ' +
        'must not reference a PVC that gets created for an ephemeral volume',
    ]);
    const long = pod(
      { volumes: [{ name: 'v', ephemeral: { volumeClaimTemplate: { spec } } }] },
      { name: 'a'.repeat(252) },
    );
    expect(linesOf(long)).toEqual([
      expect.stringMatching(/^spec\.volumes\[0\]\.name: Invalid value: "v": PVC name "a+-v": must be no more than 253/),
    ]);
  });

  it('of a StatefulSet are volumes of its Pods', () => {
    const containers = [{ name: 'app', image: 'i', volumeMounts: [{ name: 'data', mountPath: '/data' }] }];
    const set = (volumeClaimTemplates: object[]): string[] =>
      linesOf(
        object('StatefulSet', {
          spec: {
            selector: { matchLabels: { app: 'demo' } },
            template: template({ containers }),
            volumeClaimTemplates,
          },
        }),
      );
    expect(set([{ metadata: { name: 'data' }, spec }])).toEqual([]);
    expect(set([])).toEqual(['spec.template.spec.containers[0].volumeMounts[0].name: Not found: "data"']);
  });
});
