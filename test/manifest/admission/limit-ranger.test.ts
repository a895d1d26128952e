import { describe, expect, it } from 'vitest';
import type { LimitRange, PersistentVolumeClaim, Pod } from '../../../src/api/generated/types.ts';
import { claimLimitErrors, podLimitErrors, withDefaultLimits } from '../../../src/manifest/admission/limit-ranger.ts';
import { container, pod } from '../objects.ts';

const range = (...limits: object[]): LimitRange => ({ metadata: { name: 'l' }, spec: { limits } }) as LimitRange;
const podOfContainers = (...all: object[]): Pod =>
  pod({ containers: all.map((fields, index) => container({ name: `c${index}`, ...fields })) });
const asking = (requests: object | undefined, limits?: object): object => ({ resources: { requests, limits } });

describe('default limits', () => {
  const defaults = range({
    type: 'Container',
    default: { cpu: '1', memory: '1Gi' },
    defaultRequest: { cpu: '500m', memory: '1Gi' },
  });

  it('are given to the containers that name none, and an annotation says so', () => {
    const made = withDefaultLimits(podOfContainers({}, asking({ cpu: '100m' }, { cpu: '2', memory: '2Gi' })), [
      defaults,
    ]);
    expect(made.spec?.containers.map(({ resources }) => resources)).toEqual([
      { requests: { cpu: '500m', memory: '1Gi' }, limits: { cpu: '1', memory: '1Gi' } },
      { requests: { cpu: '100m', memory: '1Gi' }, limits: { cpu: '2', memory: '2Gi' } },
    ]);
    expect(made.metadata?.annotations).toEqual({
      'kubernetes.io/limit-ranger':
        'LimitRanger plugin set: cpu, memory request for container c0; cpu, memory limit for container c0; ' +
        'memory request for container c1',
    });
  });

  it('are given to init containers', () => {
    const given = pod({ initContainers: [container({ name: 'i' })] }) as unknown as Pod;
    const made = withDefaultLimits(given, [range({ type: 'Container', defaultRequest: { cpu: '1' } })]);
    expect(made.spec?.initContainers?.[0]?.resources).toEqual({ requests: { cpu: '1' } });
    expect(made.metadata?.annotations?.['kubernetes.io/limit-ranger']).toBe(
      'LimitRanger plugin set: cpu request for container app; cpu request for init container i',
    );
  });

  it('of Pods change nothing', () => {
    const given = podOfContainers({});
    expect(withDefaultLimits(given, [range({ type: 'Pod', max: { cpu: '1' } })])).toBe(given);
  });
});

describe('limits of Pods', () => {
  it.each<[string, object, Pod, string[]]>([
    [
      'within',
      { type: 'Container', min: { cpu: '1' }, max: { cpu: '2' } },
      podOfContainers(asking({ cpu: '1' }, { cpu: '2' })),
      [],
    ],
    [
      'a request that is missing',
      { type: 'Container', min: { cpu: '1' } },
      podOfContainers({}),
      ['minimum cpu usage per Container is 1.  No request is specified'],
    ],
    [
      'a low request',
      { type: 'Container', min: { cpu: '1' } },
      podOfContainers(asking({ cpu: '900m' })),
      ['minimum cpu usage per Container is 1, but request is 900m'],
    ],
    [
      'a low limit',
      { type: 'Container', min: { cpu: '1' } },
      podOfContainers(asking({ cpu: '1' }, { cpu: '900m' })),
      ['minimum cpu usage per Container is 1, but limit is 900m'],
    ],
    [
      'a limit that is missing',
      { type: 'Container', max: { memory: '1Gi' } },
      podOfContainers(asking({ memory: '1Gi' })),
      ['maximum memory usage per Container is 1Gi.  No limit is specified'],
    ],
    [
      'high limits',
      { type: 'Container', max: { cpu: '1', memory: '1Gi' } },
      podOfContainers(asking({}, { cpu: '2', memory: '2Gi' })),
      [
        'maximum cpu usage per Container is 1, but limit is 2',
        'maximum memory usage per Container is 1Gi, but limit is 2Gi',
      ],
    ],
    [
      'two containers together',
      { type: 'Pod', max: { cpu: '1' } },
      podOfContainers(asking({}, { cpu: '600m' }), asking({}, { cpu: '600m' })),
      ['maximum cpu usage per Pod is 1, but limit is 1200m'],
    ],
    [
      'a ratio',
      { type: 'Container', maxLimitRequestRatio: { cpu: '2' } },
      podOfContainers(asking({ cpu: '1' }, { cpu: '3' })),
      ['cpu max limit to request ratio per Container is 2, but provided ratio is 3.000000'],
    ],
    [
      'a ratio without numbers',
      { type: 'Container', maxLimitRequestRatio: { cpu: '2', memory: '2' } },
      podOfContainers(asking({ memory: '1' })),
      [
        'cpu max limit to request ratio per Container is 2, but no request is specified or request is 0',
        'memory max limit to request ratio per Container is 2, but no limit is specified or limit is 0',
      ],
    ],
  ])('%s', (_name, item, given, want) => {
    expect(podLimitErrors(given, range(item))).toEqual(want);
  });
});

it('limits of claims', () => {
  const claim = (storage: string): PersistentVolumeClaim => ({ spec: { resources: { requests: { storage } } } });
  const item = range({ type: 'PersistentVolumeClaim', min: { storage: '1Gi' }, max: { storage: '2Gi' } });
  expect(claimLimitErrors(claim('1Gi'), item)).toEqual([]);
  expect(claimLimitErrors(claim('3Gi'), item)).toEqual([
    'maximum storage usage per PersistentVolumeClaim is 2Gi, but request is 3Gi',
  ]);
  expect(claimLimitErrors({}, item)).toEqual([
    'minimum storage usage per PersistentVolumeClaim is 1Gi.  No request is specified',
    'maximum storage usage per PersistentVolumeClaim is 2Gi.  No request is specified',
  ]);
});
