import { describe, expect, it } from 'vitest';
import type { PodSpec, RuntimeClass, Toleration } from '../../../src/api/generated/types.ts';
import { withRuntimeClass } from '../../../src/manifest/admission/runtime-class.ts';

const classes: RuntimeClass[] = [
  { metadata: { name: 'plain' }, handler: 'process' },
  { metadata: { name: 'heavy' }, handler: 'namespace', overhead: { podFixed: { cpu: '10m' } } },
  {
    metadata: { name: 'special' },
    handler: 'namespace',
    scheduling: { nodeSelector: { disk: 'ssd' }, tolerations: [{ key: 'gpu', operator: 'Exists' }] },
  },
];

function admitted(spec: Partial<PodSpec>): unknown {
  const outcome = withRuntimeClass({ spec: { containers: [], ...spec } }, classes);
  return 'problem' in outcome ? outcome.problem : outcome.pod.spec;
}

it.each<[Partial<PodSpec>, unknown]>([
  [{}, {}],
  [{ runtimeClassName: 'plain' }, {}],
  [{ runtimeClassName: 'heavy' }, { overhead: { cpu: '10m' } }],
  [{ runtimeClassName: 'heavy', overhead: { cpu: '10m' } }, { overhead: { cpu: '10m' } }],
  [
    { runtimeClassName: 'special', nodeSelector: { disk: 'ssd', zone: 'a' } },
    { nodeSelector: { disk: 'ssd', zone: 'a' }, tolerations: [{ key: 'gpu', operator: 'Exists' }] },
  ],
])('admits %j', (spec, added) => {
  expect(admitted(spec)).toEqual({ containers: [], ...spec, ...(added as object) });
});

it.each<[Partial<PodSpec>, string]>([
  [{ runtimeClassName: 'gone' }, 'pod rejected: RuntimeClass "gone" not found'],
  [
    { runtimeClassName: 'heavy', overhead: { cpu: '20m' } },
    "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead",
  ],
  [
    { runtimeClassName: 'plain', overhead: { cpu: '10m' } },
    'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead',
  ],
  [{ overhead: { cpu: '10m' } }, 'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead'],
  [
    { runtimeClassName: 'special', nodeSelector: { disk: 'hdd' } },
    'conflict: runtimeClass.scheduling.nodeSelector[disk] = ssd; pod.spec.nodeSelector[disk] = hdd',
  ],
])('refuses %j', (spec, problem) => {
  expect(admitted(spec)).toBe(problem);
});

/** Source: pkg/util/tolerations, MergeTolerations: a toleration that another one covers is left out. */
describe('tolerations of Pod and class', () => {
  const all: Toleration = { operator: 'Exists' };
  const key: Toleration = { key: 'a', operator: 'Exists' };
  const value: Toleration = { key: 'a', operator: 'Equal', value: 'x' };
  const effect: Toleration = { key: 'a', operator: 'Exists', effect: 'NoSchedule' };
  const brief: Toleration = { key: 'a', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 5 };
  const long: Toleration = { ...brief, tolerationSeconds: 60 };

  it.each([
    ['the wider one of the class', [value], [key], [key]],
    ['the wider one of the Pod', [key], [value, effect], [key]],
    ['one for everything', [value, effect], [all], [all]],
    ['equal ones', [value], [value], [value]],
    ['other values', [value], [{ ...value, value: 'y' }], [value, { ...value, value: 'y' }]],
    ['other keys', [key], [{ ...key, key: 'b' }], [key, { ...key, key: 'b' }]],
    ['other effects', [effect], [brief], [effect, brief]],
    ['the longer one', [brief], [long], [long]],
    [
      'the endless one',
      [{ ...brief, tolerationSeconds: undefined }],
      [long],
      [{ ...brief, tolerationSeconds: undefined }],
    ],
  ] as const)('%s', (_name, ofPod, ofClass, want) => {
    const tolerant = { metadata: { name: 'c' }, handler: 'process', scheduling: { tolerations: [...ofClass] } };
    const outcome = withRuntimeClass({ spec: { containers: [], runtimeClassName: 'c', tolerations: [...ofPod] } }, [
      tolerant,
    ]);
    expect(outcome).toMatchObject({ pod: { spec: { tolerations: want } } });
  });
});
