import { expect, it } from 'vitest';
import type { Container } from '../../../src/api/generated/types.ts';
import { advise } from '../../../src/history/advise/advise.ts';
import { patchOf } from '../../../src/history/advise/patch.ts';
import { Story } from './story.ts';

const check = { exec: { command: ['check'] } };

function patched(story: Story): unknown {
  return patchOf(story.pod, advise(story.run, story.usages)?.advice ?? []);
}

it('sets what was suggested, in containers that are found by their names', () => {
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

it('is nothing where only the program can be changed', () => {
  const story = new Story({ containers: [{ name: 'app', image: 'busybox' }] });
  expect(patched(story.start('app', 0).stop('app', 1).end('app', 31, 137))).toBeUndefined();
});
