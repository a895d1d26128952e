import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { PodSpec } from '../../src/api/generated/types.ts';
import { parseRecord } from '../../src/store/logs/cri-line.ts';
import { podsIn, watchLines, workshopForEach } from '../cli/workshop.ts';
import { assertNothingLeft } from './aftermath.ts';
import { needs } from '../needs.ts';

/** Debian's package faketime: a process reads the wall clock from a file, which a test can change at any time. */
const FAKETIME = ['/usr/lib', '/usr/lib64', ...(existsSync('/usr/lib') ? readdirSync('/usr/lib') : [])]
  .map((folder) => path.resolve('/usr/lib', folder, 'faketime/libfaketime.so.1'))
  .find((library) => existsSync(library));

const JUMPS = ['+1d', '-1d', '-400d', '+0', '+3h', '-90', '+20d', '+0'];
/** Those while podrun starts: the first time in its logs is of the present day. */
const EARLY_JUMPS = ['+3h', '-90', '-1h', '+0'];
const JUMP_EVERY_MS = 250;
/** The jumps that the first and the second run of the container wait for. */
const JUMPS_OF_RUNS = [4, 12];
const DAY_MS = 86_400_000;

const workshop = workshopForEach();

const spec: PodSpec = {
  restartPolicy: 'OnFailure',
  activeDeadlineSeconds: 600,
  terminationGracePeriodSeconds: 2,
  initContainers: [
    {
      name: 'side',
      image: 'busybox',
      restartPolicy: 'Always',
      command: ['sh', '-c', 'trap "exit 0" TERM; while :; do echo side; sleep 0.05; done'],
      startupProbe: { exec: { command: ['true'] }, periodSeconds: 1, timeoutSeconds: 50 },
      readinessProbe: { exec: { command: ['true'] }, periodSeconds: 1, timeoutSeconds: 50 },
    },
  ],
  containers: [
    {
      name: 'main',
      image: 'busybox',
      command: [
        'sh',
        '-c',
        'until_jump() { until [ -e jump-$1 ]; do sleep 0.05; done; }; ' +
          `[ -e again ] || { >again; until_jump ${JUMPS_OF_RUNS[0]}; exit 3; }; ` +
          `for i in 1 2 3 4 5; do echo main $i; sleep 0.6; done; until_jump ${JUMPS_OF_RUNS[1]}`,
      ],
      livenessProbe: { exec: { command: ['true'] }, periodSeconds: 1, timeoutSeconds: 50, failureThreshold: 1 },
    },
  ],
};

describe('a wall clock that jumps by days, to and fro', needs({ faketime: FAKETIME !== undefined }), () => {
  it('changes nothing of what becomes of a Pod, and the times in its logs never go back', async () => {
    const clock = path.join(workshop.folder, 'clock');
    writeFileSync(clock, '+0\n');
    const podrun = workshop.start(['apply', workshop.pod('jumpy', spec), '-o', 'json', '--backoff-initial', '100ms'], {
      LD_PRELOAD: FAKETIME ?? '',
      FAKETIME_TIMESTAMP_FILE: clock,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    });
    const logOf = (log: string): string => path.join(workshop.stateDir, 'pods/default/jumpy/logs', log);
    let [early, jumps] = [0, 0];
    const jump = (): void => {
      const hasBegun = existsSync(again) && readFileSync(logOf('side/0.log'), 'utf8') !== '';
      const to = hasBegun ? JUMPS[jumps++ % JUMPS.length] : EARLY_JUMPS[early++ % EARLY_JUMPS.length];
      writeFileSync(clock, `${to}\n`);
      if (JUMPS_OF_RUNS.includes(jumps)) workshop.file(`jump-${jumps}`, '');
    };
    const again = path.join(workshop.folder, 'again');
    const jumping = setInterval(jump, JUMP_EVERY_MS);
    const { exitCode, stdout, stderr } = await podrun.ended.finally(() => clearInterval(jumping));
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });

    const [last] = podsIn(watchLines(stdout)).slice(-1);
    expect(last?.status?.phase).toBe('Succeeded');
    expect(last?.status?.containerStatuses).toMatchObject([
      { restartCount: 1, state: { terminated: { exitCode: 0 } } },
    ]);
    expect(last?.status?.initContainerStatuses).toMatchObject([{ restartCount: 0 }]);
    // A probe or a deadline that follows the wall clock would be days late or early.
    const reasons = new Set(watchLines(stdout).map(({ object }) => ('reason' in object ? object.reason : undefined)));
    expect(
      [...reasons].filter((reason) => ['Unhealthy', 'DeadlineExceeded', 'Evicted'].includes(reason ?? '')),
    ).toEqual([]);
    const spans: number[] = [];
    for (const log of ['side/0.log', 'main/1.log']) {
      const lines = readFileSync(logOf(log), 'latin1').split('\n').slice(0, -1);
      const times = lines.map((line) => parseRecord(line)?.time ?? '');
      expect(times).toEqual([...times].sort());
      spans.push(Date.parse(times.at(-1) ?? '') - Date.parse(times[0] ?? ''));
    }
    // The container saw the clock jump.
    expect(Math.max(...spans)).toBeGreaterThan(DAY_MS);
    await assertNothingLeft(workshop);
  });
});
