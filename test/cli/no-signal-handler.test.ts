import { expect, it } from 'vitest';
import { workshopForEach } from './workshop.ts';

const workshop = workshopForEach();

it('a container without a signal handler is reported once, however often it is stopped', async () => {
  const file = workshop.pod('deaf', {
    restartPolicy: 'Always',
    containers: [
      {
        name: 'main',
        command: ['sleep', '1000'],
        livenessProbe: { exec: { command: ['false'] }, periodSeconds: 1, failureThreshold: 1 },
      },
    ],
  });
  const podrun = workshop.begin(['apply', '-f', file, '--backoff-initial', '10ms', '-o', 'json']);
  const restarts = (): number =>
    Math.max(
      0,
      ...podrun.lines.map(({ object }) =>
        'status' in object ? (object.status?.containerStatuses?.[0]?.restartCount ?? 0) : 0,
      ),
    );
  await podrun.until(() => restarts() >= 2);
  podrun.signal('SIGTERM');
  await podrun.ended;
  const events = podrun.lines.filter(({ object }) => 'reason' in object && object.reason === 'NoSignalHandler');
  expect(events).toHaveLength(1);
});
