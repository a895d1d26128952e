import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import type { PodSpec } from '../../src/api/generated/types.ts';
import { workshopForEach } from '../cli/workshop.ts';
import { assertNothingLeft, podsOf } from './aftermath.ts';
import { StoreReader } from './store-reader.ts';
import { SMALL_DISK } from './what-is-left.ts';

const workshop = workshopForEach();
const mounted: string[] = [];

// Before the workshop removes its folder.
afterEach(() => {
  for (const place of mounted.splice(0)) spawnSync('umount', ['-l', place]);
});

const isRoot = process.platform === 'linux' && process.getuid?.() === 0;
const writer = (lines: number): PodSpec => ({
  restartPolicy: 'Never',
  containers: [
    {
      name: 'main',
      command: ['sh', '-c', `i=0; while [ $i -lt ${lines} ]; do echo "line $i"; i=$((i+1)); sleep 0.01; done`],
    },
  ],
});

/** Puts a small disk of its own in the place of the state folder; answers false where that is not permitted. */
function mountState(...options: string[]): void {
  mkdirSync(workshop.stateDir, { recursive: true });
  const outcome = spawnSync('mount', [
    '-t',
    'tmpfs',
    '-o',
    ['size=256k', ...options].join(','),
    SMALL_DISK,
    workshop.stateDir,
  ]);
  if (outcome.status !== 0) throw new Error(`no tmpfs can be mounted: ${String(outcome.stderr)}`);
  mounted.push(workshop.stateDir);
}

function unmountState(): void {
  for (const place of mounted.splice(0)) spawnSync('umount', [place]);
}

/** Only root can mount a small disk on the machine itself. */
describe.runIf(isRoot)('a state folder', () => {
  it('on a full disk: the Pod runs to its end, no file is torn, and there is a word about it', async () => {
    mountState();
    const reader = new StoreReader(workshop.stateDir);
    const podrun = workshop.start(['apply', workshop.pod('full', writer(100))]);
    await podrun.until(({ stdout }) => stdout.includes('line 10'));
    spawnSync('sh', ['-c', `cat /dev/zero >${workshop.stateDir}/filler 2>/dev/null`]);
    const { exitCode, stdout, stderr } = await podrun.ended;
    reader.close();
    expect(stdout).toContain('line 99');
    expect(exitCode).toBe(0);
    expect(stderr + stdout).toContain('no space left on device');
    expect(stderr).not.toMatch(/defect|^\s+at /m);
    expect(reader.torn).toEqual([]);
    expect((await workshop.run(['get', 'pods', '-o', 'json'])).exitCode).toBe(0);
    rmSync(path.join(workshop.stateDir, 'filler'));
    expect((await workshop.run(['delete', 'pod', 'full'])).exitCode).toBe(0);
    unmountState();
    await assertNothingLeft(workshop);
  });

  it('on a full disk, when podrun is killed: nothing goes on running, and there is a way back', async () => {
    mountState();
    const podrun = workshop.start(['apply', workshop.pod('full', writer(10_000))]);
    await podrun.until(({ stdout }) => stdout.includes('line 10'));
    spawnSync('sh', ['-c', `cat /dev/zero >${workshop.stateDir}/filler 2>/dev/null`]);
    podrun.signal('SIGKILL');
    await podrun.ended;
    await expect.poll(() => workshop.processes()).toEqual([]);
    expect((await workshop.run(['get', 'pods', '-o', 'json'])).exitCode).toBe(0);
    rmSync(path.join(workshop.stateDir, 'filler'));
    expect((await workshop.run(['gc'])).exitCode).toBe(0);
    expect((await podsOf(workshop, {}))[0]?.status).toMatchObject({ phase: 'Failed', reason: 'NodeLost' });
    unmountState();
    await assertNothingLeft(workshop);
  });

  it('that is read-only: nothing is started, and the reason is said', async () => {
    mountState('ro');
    const { exitCode, stderr } = await workshop.run(['apply', '--runtime', 'auto', workshop.pod('mute', writer(10))]);
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/cannot use the state folder .*: read-only file system\n.*--state-dir/);
    expect((await workshop.run(['get', 'pods', '-o', 'json'])).exitCode).toBe(0);
    unmountState();
    await assertNothingLeft(workshop);
  });
});

describe.runIf(process.platform === 'linux')('a state folder that is removed', () => {
  it('while a Pod runs: the Pod ends, and so does podrun', async () => {
    const podrun = workshop.start(['apply', workshop.pod('gone', writer(10_000))]);
    await podrun.until(({ stdout }) => stdout.includes('line 10'));
    rmSync(workshop.stateDir, { recursive: true });
    const { exitCode, stderr } = await podrun.ended;
    expect(exitCode).toBe(1);
    expect(stderr).not.toMatch(/defect|^\s+at /m);
    await assertNothingLeft(workshop);
  });

  it('and podrun is killed a moment later: nothing goes on running', async () => {
    const podrun = workshop.start(['apply', workshop.pod('gone', writer(10_000))]);
    await podrun.until(({ stdout }) => stdout.includes('line 10'));
    podrun.signal('SIGSTOP');
    rmSync(workshop.stateDir, { recursive: true });
    await sleep(20);
    podrun.signal('SIGKILL');
    await podrun.ended;
    await expect.poll(() => workshop.processes()).toEqual([]);
    await assertNothingLeft(workshop, { wasKilled: true });
  });

  it('by a file in its place: the reason is said', async () => {
    writeFileSync(workshop.stateDir, '');
    const { exitCode, stderr } = await workshop.run(['apply', '--runtime', 'auto', workshop.pod('file', writer(1))]);
    expect(exitCode).toBe(1);
    expect(stderr).toContain('cannot use the state folder');
    rmSync(workshop.stateDir);
    await assertNothingLeft(workshop);
  });
});
