import { describe, expect, it } from 'vitest';
import type { StoredPod } from '../../../src/api/base/objects.ts';
import { type Annotation, annotationOf, gitHubAnnotation, gitHubGroup } from '../../../src/print/live/annotation.ts';
import { podError } from '../../../src/print/live/annotation.ts';
import { transitionsOf } from '../../../src/print/live/pod-transitions.ts';
import { container, ended, NOW_MS, running, sidecar, waiting, webPod } from '../pods.ts';

const spec = { initContainers: [container('migrate'), sidecar('proxy')], containers: [container('main')] };
const before = webPod({ spec });
const changed = (status: Parameters<typeof webPod>[0]): StoredPod => webPod({ spec, ...status });

/** The annotations for the transitions to this Pod. */
const remarks = (next: StoredPod): Array<Annotation | undefined> =>
  transitionsOf(before, next, NOW_MS).map((transition) => annotationOf(transition, next));

describe('annotationOf()', () => {
  it.each<[what: string, next: StoredPod, want: Annotation]>([
    [
      'a container that exits',
      changed({ status: { containerStatuses: [ended('main', 3)] } }),
      {
        level: 'warning',
        title: 'web/main',
        message: expect.stringMatching(/^exited with code 3/) as string,
        path: 'spec.containers[0].command',
      },
    ],
    [
      'an image that is missing',
      changed({ status: { containerStatuses: [waiting('main', 'ErrImagePull', { message: 'no\nsuch image' })] } }),
      {
        level: 'warning',
        title: 'web/main',
        message: 'ErrImagePull: no\nsuch image',
        path: 'spec.containers[0].image',
      },
    ],
    [
      'a sidecar that is killed',
      changed({ status: { initContainerStatuses: [ended('migrate', 0), ended('proxy', 137)] } }),
      {
        level: 'warning',
        title: 'web/proxy',
        message: expect.stringContaining('SIGKILL') as string,
        path: 'spec.initContainers[1].command',
      },
    ],
    [
      'a Pod that cannot be scheduled',
      changed({
        status: {
          conditions: (webPod().status.conditions ?? []).map((one) =>
            one.type === 'PodScheduled' ? { ...one, status: 'False', message: 'no room' } : one,
          ),
        },
      }),
      { level: 'warning', title: 'pod web', message: 'PodScheduled=False: no room', path: 'spec' },
    ],
  ])('%s', (_, next, want) => {
    expect(remarks(next)).toContainEqual(want);
  });

  it('a readiness probe that fails again', () => {
    const probed = { containers: [container('main', { readinessProbe: {} })] };
    const [ready, unready] = [true, false].map((isReady) =>
      webPod({ spec: probed, status: { containerStatuses: [running('main', { ready: isReady })] } }),
    ) as [StoredPod, StoredPod];
    const [transition] = transitionsOf(ready, unready, NOW_MS);
    expect(annotationOf(transition!, unready)).toEqual({
      level: 'warning',
      title: 'web/main',
      message: 'not ready: its readiness probe fails',
      path: 'spec.containers[0].readinessProbe',
    });
  });

  it('nothing that is well', () => {
    const next = changed({ status: { containerStatuses: [ended('main', 0)], phase: 'Succeeded' } });
    expect(remarks(next).filter((annotation) => annotation !== undefined)).toEqual([]);
  });
});

it('podError() blames the container, or the Pod', () => {
  const failed = webPod({ status: { phase: 'Failed', containerStatuses: [ended('main', 3)] } });
  expect(podError(failed, 'failed')).toEqual({
    level: 'error',
    title: 'pod web failed',
    message: 'container main exited with code 3',
    path: 'spec.containers[0].command',
  });
  const evicted = webPod({ status: { phase: 'Failed', reason: 'Evicted', message: 'too big', containerStatuses: [] } });
  expect(podError(evicted, 'failed')).toMatchObject({ message: 'Evicted: too big', path: 'metadata.name' });
});

describe('gitHubAnnotation()', () => {
  const annotation = { level: 'error', title: 'a, b: 5%', message: '100%: one,\r\ntwo', path: '' } as const;

  it('escapes as GitHub wants it', () => {
    expect(gitHubAnnotation(annotation, { file: 'a,b:c%.yaml', line: 3, column: 5 })).toBe(
      '::error file=a%2Cb%3Ac%25.yaml,line=3,col=5,title=a%2C b%3A 5%25::100%25: one,%0D%0Atwo',
    );
    expect(gitHubAnnotation({ ...annotation, level: 'warning' }, undefined)).toMatch(/^::warning title=a%2C b/);
  });

  it('a group has one line', () => {
    expect(gitHubGroup('Starting\nweb')).toBe('::group::Starting%0Aweb');
  });
});
