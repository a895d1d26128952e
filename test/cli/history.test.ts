import { describe, expect, it } from 'vitest';
import { newPod, withPhase } from '../store/objects.ts';
import { openStore } from '../store/temporary-store.ts';
import { workshopForEach } from './workshop.ts';

const workshop = workshopForEach();

/** Two runs of web, one second each: the first has failed. */
function twoRuns(): void {
  const store = openStore(workshop.stateDir);
  for (const [hour, phase] of [
    ['10', 'Failed'],
    ['11', 'Succeeded'],
  ] as const) {
    const creationTimestamp = `2026-01-15T${hour}:00:00.000000Z`;
    const uid = `${hour}aaaaaa-bbbb`;
    const pod = { ...newPod('web'), metadata: { ...newPod('web').metadata, creationTimestamp, uid } };
    store.startRun(pod);
    const lastTransitionTime = `2026-01-15T${hour}:00:01.000000Z`;
    const ended = withPhase(pod, phase);
    const conditions = [{ type: 'Ready', status: 'False' as const, lastTransitionTime }];
    store.updateStatus('pods', { ...ended, status: { ...ended.status, conditions } });
  }
}

describe('history', () => {
  it('lists the runs of Pods, the latest first', async () => {
    twoRuns();
    const { stdout, exitCode } = await workshop.run(['history']);
    expect({ stdout, exitCode }).toEqual({
      exitCode: 0,
      stdout: [
        'RUN     UID        STATUS      RESTARTS   STARTED                LASTED',
        'web     11aaaaaa   Succeeded   0          2026-01-15T11:00:00Z   1s',
        'web@1   10aaaaaa   Failed      0          2026-01-15T10:00:00Z   1s',
        '',
      ].join('\n'),
    });
    expect((await workshop.run(['history', 'pod/web', '-o', 'name'])).stdout).toBe('web\nweb@1\n');
    const { stdout: json } = await workshop.run(['history', 'web', '-o', 'json']);
    expect(JSON.parse(json.split('\n')[1] ?? '')).toMatchObject({ run: 'web@1', phase: 'Failed', lastedSeconds: 1 });
  });

  it('says when there is none', async () => {
    expect(await workshop.run(['history'])).toEqual({
      exitCode: 0,
      stdout: '',
      stderr: 'No runs found in default namespace.\n',
    });
    const { exitCode, stderr } = await workshop.run(['history', 'web']);
    expect({ exitCode, stderr }).toEqual({
      exitCode: 1,
      stderr: 'Error from server (NotFound): pods "web" not found\n',
    });
  });
});
