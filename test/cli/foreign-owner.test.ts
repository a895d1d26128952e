import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, utimesSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { PATIENT } from '../patience.ts';
import { stageForEach } from '../puppet/stage.ts';
import { workshopForEach } from './workshop.ts';

const workshop = workshopForEach();
const stage = stageForEach();

/** Another PID namespace: one that root makes, and one that a user makes. */
const WAYS = [
  ['unshare', '--pid', '--fork', '--mount-proc'],
  ['unshare', '--user', '--map-root-user', '--pid', '--fork', '--mount-proc'],
].filter(([program = '', ...args]) => spawnSync(program, [...args, 'true']).status === 0);

const stopped = new Set<number>();
afterEach(() => {
  for (const pid of stopped) process.kill(pid, 'SIGCONT');
  stopped.clear();
});

/** Runs podrun through another program. */
function elsewhere(
  way: readonly string[],
  args: readonly string[],
): { exitCode: number; stdout: string; stderr: string } {
  const [program = '', ...words] = [...way, ...workshop.commandLine(args)];
  const env = { ...process.env, CI: 'true', NO_COLOR: '1', PODRUN_STATE_DIR: workshop.stateDir };
  const { status, stdout, stderr } = spawnSync(program, words, { encoding: 'utf8', env });
  return { exitCode: status ?? -1, stdout, stderr };
}

const podOf = () => workshop.pod('web', { containers: [{ name: 'main', command: stage.command('main') }] });
const ownerPid = (): number => {
  const file = path.join(workshop.stateDir, 'pods/default/web/owner.json');
  return (JSON.parse(readFileSync(file, 'utf8')) as { pid: number }).pid;
};

/** Stops the agent, as a debugger or a broken disk would, and makes its last sign of life a minute old. */
function stop(pid: number): void {
  process.kill(pid, 'SIGSTOP');
  stopped.add(pid);
  const folder = path.join(workshop.stateDir, '.leases');
  const seconds = Date.now() / 1000 - 60;
  for (const name of readdirSync(folder)) utimesSync(path.join(folder, name), seconds, seconds);
}

function goOn(pid: number): void {
  process.kill(pid, 'SIGCONT');
  stopped.delete(pid);
}

const statusText = (stdout: string): string | undefined => /^web +\S+ +(\S+)/m.exec(stdout)?.[1];

describe.skipIf(WAYS.length === 0)('a Pod of an agent in another PID namespace', () => {
  it.each(WAYS.map((way) => ({ way, how: way.slice(1, 3).join(' ') })))('is left alone ($how)', async ({ way }) => {
    const file = podOf();
    expect(await workshop.run(['apply', '-d', file])).toMatchObject({ exitCode: 0 });
    const puppet = await stage.puppet('main');
    const pid = ownerPid();
    expect(statusText(elsewhere(way, ['get', 'pods']).stdout)).toBe('Running');
    expect(elsewhere(way, ['gc', '--keep', '0']).stdout).toBe('Nothing to remove\n');
    expect(elsewhere(way, ['apply', '-d', file])).toMatchObject({ exitCode: 0, stdout: 'pod/web unchanged\n' });

    stop(pid);
    const get = elsewhere(way, ['get', 'pods']);
    expect(get).toMatchObject({ exitCode: 0, stderr: '' });
    expect(statusText(get.stdout)).toBe('Unknown');
    expect(elsewhere(way, ['gc', '--keep', '0']).stdout).toBe('Nothing to remove\n');
    const apply = elsewhere(way, ['apply', '-d', file]);
    expect(apply.exitCode).toBe(1);
    expect(apply.stderr).toContain(`pod "web" belongs to process ${pid} in another PID namespace (host `);
    expect(apply.stderr).toContain('podrun delete pod web -n default --force');
    goOn(pid);
    expect(ownerPid()).toBe(pid);
    puppet.print('alive\n');
    await vi.waitUntil(async () => (await workshop.run(['logs', 'web'])).stdout === 'alive\n', PATIENT);
    await vi.waitUntil(async () => statusText((await workshop.run(['get', 'pods'])).stdout) === 'Running', PATIENT);
  });

  it('in the foreground is not recorded as Failed here', async () => {
    const [way = []] = WAYS;
    const [program = '', ...words] = [...way, ...workshop.commandLine(['apply', podOf()])];
    const { spawn } = await import('node:child_process');
    const env = { ...process.env, CI: 'true', PODRUN_STATE_DIR: workshop.stateDir };
    const child = spawn(program, words, { env, stdio: 'ignore' });
    try {
      const puppet = await stage.puppet('main');
      await vi.waitUntil(async () => statusText((await workshop.run(['get', 'pods'])).stdout) === 'Running', PATIENT);
      expect((await workshop.run(['gc'])).stdout).toBe('Nothing to remove\n');
      expect(statusText((await workshop.run(['get', 'pods'])).stdout)).toBe('Running');
      expect((await workshop.run(['delete', 'pod', 'web', '--grace-period=1'])).exitCode).toBe(0);
      await puppet.gone;
    } finally {
      child.kill('SIGKILL');
    }
  });
});

describe('a Pod of an agent that was stopped', () => {
  it('is Unknown, and gets its state back when the agent continues', async () => {
    await workshop.run(['apply', '-d', podOf()]);
    await stage.puppet('main');
    const pid = ownerPid();
    await workshop.run(['wait', 'pod/web', '--for=condition=Ready']);
    const before = JSON.parse((await workshop.run(['get', 'pod', 'web', '-o', 'json'])).stdout) as unknown;
    stop(pid);
    const { stdout } = await workshop.run(['get', 'pod', 'web', '-o', 'json']);
    expect(JSON.parse(stdout)).toMatchObject({ status: { phase: 'Unknown', reason: 'NodeStatusUnknown' } });
    expect(statusText((await workshop.run(['get', 'pods'])).stdout)).toBe('Unknown');
    goOn(pid);
    await vi.waitUntil(async () => statusText((await workshop.run(['get', 'pods'])).stdout) === 'Running', PATIENT);
    expect(JSON.parse((await workshop.run(['get', 'pod', 'web', '-o', 'json'])).stdout)).toEqual(before);
  });

  it('is removed by --force only, and ends when the agent continues', async () => {
    await workshop.run(['apply', '-d', podOf()]);
    const puppet = await stage.puppet('main');
    const pid = ownerPid();
    stop(pid);
    const asked = await workshop.run(['delete', 'pod', 'web', '--timeout=1s']);
    expect(asked.exitCode).toBe(1);
    expect(asked.stderr).toContain(`pod "web" belongs to process ${pid}, which does not answer`);
    expect((await workshop.run(['delete', 'pod', 'web', '--force'])).exitCode).toBe(0);
    expect((await workshop.run(['get', 'pods'])).stdout).toBe('');
    goOn(pid);
    await puppet.gone;
  });
});
