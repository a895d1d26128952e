import { describe, expect, it } from 'vitest';
import type { ImageVerdict } from '../../src/lifecycle/plan/image-pull.ts';
import { PodSimulation, type Seen } from './pod-simulation.ts';

const absent: ImageVerdict = { type: 'absent', pullError: 'no such image' };
const main = { name: 'main', image: 'app:1' };

/** The second, reason and message of every event, and of every new waiting reason of main. */
function story({ seen }: PodSimulation): string[] {
  const at = ({ atMs }: Seen): string => `${Math.round(atMs / 1000)}s`;
  const lines = seen.flatMap((one) => {
    if (one.event !== undefined) {
      const { container = 'Pod', type, reason, message } = one.event;
      return [`${at(one)} ${container} ${type} ${reason}: ${message}`];
    }
    const waiting = one.status?.containerStatuses?.[0]?.state?.waiting;
    return waiting?.message === undefined ? [] : [`${at(one)} waits ${waiting.reason}: ${waiting.message}`];
  });
  return lines.filter((line, index) => line !== lines[index - 1]);
}

const PULLING = 'main Normal Pulling: Pulling image "app:1"';
const FAILED = 'main Warning Failed: Failed to pull image "app:1": no such image';
const BACK_OFF = 'main Normal BackOff: Back-off pulling image "app:1"';
const pullAt = (second: number): string[] => [
  `${second}s ${PULLING}`,
  `${second}s ${FAILED}`,
  `${second}s main Warning Failed: Error: ErrImagePull`,
  `${second}s waits ErrImagePull: no such image`,
];
const backOffAt = (second: number): string[] => [
  `${second}s ${BACK_OFF}`,
  `${second}s main Warning Failed: Error: ImagePullBackOff`,
  `${second}s waits ImagePullBackOff: Back-off pulling image "app:1": ErrImagePull: no such image`,
];

describe('an image that is not there', () => {
  it('is pulled again after 10, 20, 40 seconds, and so on to 5 minutes', async () => {
    const pod = await new PodSimulation({ spec: { containers: [main] }, images: () => ({ main: absent }) }).start();
    await pod.clock.run(1_500_000);
    const pulls = pod.seen.filter(({ event }) => event?.reason === 'Pulling').map(({ atMs }) => atMs / 1000);
    expect(pulls).toEqual([0, 10, 30, 70, 150, 310, 610, 910, 1210]);
    const first = story(pod).slice(0, 14);
    expect(first).toEqual([...pullAt(0), ...backOffAt(1), ...pullAt(10), ...backOffAt(11)]);
    expect(pod.status.phase).toBe('Pending');
  });

  it('counts its failures in the state once a passing error has come four times, and not in events', async () => {
    const refused = { type: 'absent', pullError: 'connection refused' } as const;
    const pod = await new PodSimulation({ spec: { containers: [main] }, images: () => ({ main: refused }) }).start();
    await pod.clock.run(160_000);
    const waits = story(pod).filter((line) => /waits ErrImagePull/.test(line));
    expect(waits).toEqual([
      '0s waits ErrImagePull: connection refused',
      '10s waits ErrImagePull: connection refused',
      '30s waits ErrImagePull: connection refused',
      '70s waits ErrImagePull: connection refused (failed 4 times)',
      '150s waits ErrImagePull: connection refused (failed 5 times)',
    ]);
    expect(story(pod).filter((line) => /Failed to pull.*times/.test(line))).toEqual([]);
  });

  it('is never pulled with the policy Never', async () => {
    const spec = { containers: [{ ...main, imagePullPolicy: 'Never' as const }] };
    const pod = await new PodSimulation({ spec, images: () => ({ main: absent }) }).start();
    await pod.clock.run(9000);
    const message = 'Container image "app:1" is not present with pull policy of Never';
    expect(story(pod)).toEqual([
      `0s main Warning ErrImageNeverPull: ${message}`,
      '0s main Warning Failed: Error: ErrImageNeverPull',
      `0s waits ErrImageNeverPull: ${message}`,
    ]);
  });

  it('that a volume shows keeps back only the containers that mount it', async () => {
    const volumes = [
      { name: 'models', image: { reference: 'acme/models', pullPolicy: 'IfNotPresent' as const } },
      { name: 'fine', image: { reference: 'acme/fine' } },
    ];
    const volumeMounts = [
      { name: 'fine', mountPath: '/fine' },
      { name: 'models', mountPath: '/models' },
    ];
    const containers = [
      { ...main, volumeMounts },
      { name: 'other', image: 'app:1' },
    ];
    const pod = await new PodSimulation({
      spec: { containers, volumes },
      volumeImages: () => ({ models: absent }),
    }).start();
    await pod.clock.run(500);
    expect(new Set(story(pod).filter((line) => !line.includes(' other ')))).toEqual(
      new Set([
        '0s Pod Normal Pulled: Volume shows a folder of this machine in place of image "acme/fine"',
        '0s Pod Normal Pulling: Pulling image "acme/models"',
        '0s Pod Warning Failed: Failed to pull image "acme/models": no such image',
        '0s main Warning Failed: Error: ErrImagePull',
        '0s waits ErrImagePull: no such image',
      ]),
    );
    expect(pod.container('other').state?.running).toBeDefined();
  });
});
