import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { needs } from '../needs.ts';
import { PATIENT } from '../patience.ts';
import { gcLines } from './gc-lines.ts';
import { storeOf } from './prepared-store.ts';
import { workshopForEach } from './workshop.ts';
import { newEvent } from '../store/objects.ts';

const workshop = workshopForEach({ leavesPods: true });

const apply = (name: string, ...flags: string[]) =>
  workshop.run([
    'apply',
    workshop.pod(name, { restartPolicy: 'Never', containers: [{ name: 'main', command: ['true'] }] }),
    ...flags,
  ]);

const names = async (): Promise<string> => (await workshop.run(['get', 'pods', '-o', 'name'])).stdout;

describe('podrun gc', () => {
  it('removes the Pods that ended first; a dry run lists them', async () => {
    for (const name of ['one', 'two', 'three']) await apply(name);
    storeOf(workshop).create('events', newEvent('gone.1', 'gone', 'late'));
    const want = ['pod "one"', 'pod "two"', 'event "gone.1"'].map((one) => `${one} deleted`);
    const dry = await workshop.run(['gc', '--keep', '1', '--dry-run']);
    expect(gcLines(dry.stdout)).toEqual(want.map((line) => `${line} (dry run)`));
    const { stdout, exitCode } = await workshop.run(['gc', '--keep', '1']);
    expect({ lines: gcLines(stdout), exitCode }).toEqual({ lines: want, exitCode: 0 });
    expect(await names()).toBe('pod/three\n');
    expect(gcLines((await workshop.run(['gc'])).stdout)).toEqual([]);
    expect((await workshop.run(['gc', '--keep=0', '-o', 'name', '-A'])).stdout).toBe('pod/three\n');
  });

  it.each([['--keep=-1'], ['--keep=some']])('refuses %s', async (flag) => {
    const { exitCode, stderr } = await workshop.run(['gc', flag]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('Use a whole number, 0 or more.');
  });
});

describe('podrun gc and processes in the background', needs('Linux'), () => {
  /** Starts a program that looks like one of podrun. */
  function pretend(
    words: readonly string[],
    env: Readonly<Record<string, string>> = {},
    script: string = 'read line',
  ): ChildProcess {
    const child = spawn('sh', ['-c', script, ...words], { env: { ...process.env, ...env } });
    onTestFinished(() => void child.kill('SIGKILL'));
    return child;
  }
  const isGone = ({ exitCode, signalCode }: ChildProcess): boolean => (exitCode ?? signalCode) !== null;
  const network = (maker: number, folder: string, script?: string) =>
    pretend([], { PODRUN_NETWORK_OF: `${maker}:${folder}` }, script);
  const keeper = (folder: string, id: string) => pretend(['--state-dir', folder, 'run-container-keeper', id]);

  it('ends processes that no record names, and processes whose state folder is gone', async () => {
    const { stateDir, folder } = workshop;
    const gone = path.join(folder, 'gone');
    for (const each of [path.join(folder, 'another'), path.join(stateDir, '.agents/known')])
      mkdirSync(each, { recursive: true });
    const strays = [keeper(stateDir, 'unknown'), network(1, stateDir), network(1, gone)];
    const others = [
      keeper(stateDir, 'known'),
      // It ends by itself, and ends its network.
      keeper(path.join(folder, 'lost'), 'young'),
      network(1, path.join(folder, 'lost')),
      keeper(path.join(folder, 'another'), 'unknown'),
      network(1, path.join(folder, 'another')),
      // Its podrun lives, and is setting it up.
      network(process.pid, stateDir),
      // So does the podrun of this one, whose sleep has its mark as well: without that, it ends.
      network(process.pid, stateDir, 'sh -c "read line"; exit 1'),
    ];
    await Promise.all([...strays, ...others].map((child) => once(child, 'spawn')));
    const dry = await workshop.run(['gc', '--dry-run']);
    expect(dry).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/\d background processes .* ended \(dry run\)/),
    });
    // The `gc` of another test may end the last one meanwhile: its state folder is gone.
    expect([...strays.slice(0, -1), ...others].filter(isGone)).toEqual([]);
    const { exitCode, stdout } = await workshop.run(['gc']);
    expect({ exitCode, stdout }).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/\d background processes/),
    });
    await vi.waitUntil(() => strays.every(isGone), PATIENT);
    expect(others.filter(isGone)).toEqual([]);
  });
});

describe('podrun apply --keep', () => {
  it('keeps this many ended Pods, and names the removed ones', async () => {
    await apply('one');
    await apply('two', '--keep', '2');
    expect(await names()).toBe('pod/one\npod/two\n');
    const { stderr, exitCode } = await apply('three', '--keep', '1');
    expect(exitCode).toBe(0);
    expect(stderr).toBe('pod "one" deleted (--keep 1)\npod "two" deleted (--keep 1)\n');
    expect(await names()).toBe('pod/three\n');
  });
});
