import { expect, it } from 'vitest';
import type { KubeObject, StoredPod } from '../../../src/api/base/objects.ts';
import { applyPatch } from '../../../src/api/patch/index.ts';
import type { Container } from '../../../src/api/generated/types.ts';
import { advise } from '../../../src/history/advise/advise.ts';
import { patchOf } from '../../../src/history/advise/advice.ts';
import { Story } from './story.ts';

const check = { exec: { command: ['check'] } };

function patched(story: Story): unknown {
  return patchOf(story.pod, advise(story.run, story.usages)?.advice ?? []);
}

it('sets the suggested values in containers with these names', () => {
  const containers: Container[] = [
    { name: 'other', image: 'busybox' },
    {
      name: 'app',
      image: 'busybox',
      startupProbe: { ...check, periodSeconds: 1, failureThreshold: 30 },
      readinessProbe: { ...check, initialDelaySeconds: 10 },
      lifecycle: { preStop: { sleep: { seconds: 20 } } },
      ports: [{ containerPort: 80, protocol: 'TCP' }],
    },
  ];
  const story = new Story({ containers, terminationGracePeriodSeconds: 300 })
    .start('app', 0)
    .probe('app', 'startup', [[1, {}]])
    .probe('app', 'readiness', [[10, {}]])
    .stop('app', 20)
    .preStop('app', 20, 20)
    .end('app', 40.1, 0);
  expect(patched(story)).toEqual({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web', namespace: 'default' },
    spec: {
      terminationGracePeriodSeconds: 61,
      containers: [
        {
          name: 'app',
          readinessProbe: { initialDelaySeconds: 0 },
          lifecycle: { preStop: { sleep: { seconds: 5 } } },
        },
      ],
    },
  });
});

it('changes the manifest to the suggested values, and keeps the rest', () => {
  const preStop = { exec: { command: ['sleep', '20'] } };
  const ports = [{ containerPort: 80, protocol: 'TCP' as const }];
  const served: Container = { name: 'web', image: 'busybox', lifecycle: { preStop }, ports };
  const lonely: Container = { name: 'work', image: 'busybox', lifecycle: { preStop } };
  const story = new Story({ containers: [served, lonely] });
  for (const name of ['web', 'work']) story.start(name, 0);
  for (const name of ['web', 'work']) story.stop(name, 5).preStop(name, 5, 20).end(name, 25, 0);
  const patch = patchOf(story.pod, advise(story.run, [])?.advice ?? []);
  const { spec } = applyPatch(story.pod as unknown as KubeObject, patch, 'strategic') as unknown as StoredPod;
  expect(spec.containers).toEqual([
    { ...served, lifecycle: { preStop: { sleep: { seconds: 5 } } } },
    { ...lonely, lifecycle: {} },
  ]);
});

it('is nothing where only the program can be changed', () => {
  const story = new Story({ containers: [{ name: 'app', image: 'busybox' }] });
  expect(patched(story.start('app', 0).stop('app', 1).end('app', 31, 137))).toBeUndefined();
});
