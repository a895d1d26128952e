import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { workshopForEach } from './workshop.ts';

const workshop = workshopForEach();

const LINES = 20_000;
const script = `i=0; while [ $i -lt ${LINES} ]; do echo "line $i"; i=$((i+1)); done`;
const talkative = { restartPolicy: 'Never' as const, containers: [{ name: 'main', command: ['sh', '-c', script] }] };

it('apply writes its whole output to a reader that begins late', async () => {
  const podrun = workshop.start(['apply', workshop.pod('talkative', talkative)]);
  podrun.pauseStdout();
  await workshop.run(['wait', 'pod/talkative', '--for=create', '--timeout=3m']);
  await workshop.run(['wait', 'pod/talkative', '--for=jsonpath={.status.phase}=Succeeded', '--timeout=3m']);
  podrun.resumeStdout();
  const { exitCode, stdout } = await podrun.ended;
  expect(exitCode).toBe(0);
  expect(stdout.match(/line \d+$/gm)).toHaveLength(LINES);
});

it('apply makes a container wait for a slow reader, and loses nothing', async () => {
  const bytes = 40_000_000;
  const script = `yes ${'x'.repeat(999)} | head -c ${bytes}`;
  const containers = [{ name: 'main', command: ['sh', '-c', script] }];
  const podrun = workshop.start(['apply', workshop.pod('verbose', { restartPolicy: 'Never', containers })]);
  podrun.pauseStdout();
  await workshop.run(['wait', 'pod/verbose', '--for=create', '--timeout=3m']);
  const folder = path.join(workshop.stateDir, 'pods/default/verbose/logs/main');
  await untilQuiet(() => bytesIn(folder));
  // The rest is in podrun's buffers and in pipes.
  expect(bytesIn(folder)).toBeLessThan(bytes / 2);
  podrun.resumeStdout();
  const { exitCode, stdout } = await podrun.ended;
  expect(exitCode).toBe(0);
  expect(stdout.match(/│ main +x{999}$/gm)).toHaveLength(bytes / 1000);
});

it.each([['version'], ['get', 'pods', '-A'], ['apply', '--dry-run', '-o', 'yaml', 'pod.yaml']])(
  '%s keeps running when no process reads its output',
  async (...args) => {
    workshop.pod('pod', talkative);
    const podrun = workshop.start(args);
    podrun.closeStdout();
    expect((await podrun.ended).stderr).not.toContain('defect');
  },
);

/** Resolves when a number above 0 has not changed for a while. */
async function untilQuiet(look: () => number): Promise<void> {
  for (let [last, same] = [0, 0]; same < 30; await sleep(10)) {
    const now = look();
    same = now === last && now > 0 ? same + 1 : 0;
    last = now;
  }
}

function bytesIn(folder: string): number {
  try {
    return readdirSync(folder).reduce((sum, name) => sum + statSync(path.join(folder, name)).size, 0);
  } catch {
    return 0; // the log does not exist yet, or its rotation is going on
  }
}
