import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { factsOf } from '../../src/runtime/process-identity.ts';
import { WATCHDOG_SCRIPT } from '../../src/runtime/watchdog-script.ts';
import { isRunning, markedPids } from './support/process-rig.ts';

const SHELLS = [['/bin/sh'], ['/bin/bash', '--posix'], ['/bin/busybox', 'sh'], ['/bin/zsh', '--emulate', 'sh']].filter(
  ([shell = '']) => existsSync(shell),
);
const onLinux = process.platform === 'linux';

const prefix = `watchdog-${process.pid}`;
const started: number[] = [];
let count = 0;

afterEach(() => {
  for (const pid of [...started.splice(0), ...markedPids(prefix)]) {
    try {
      process.kill(-pid, 'SIGKILL');
    } catch {
      // gone, as it should be, or no leader
    }
    if (isRunning(pid)) process.kill(pid, 'SIGKILL');
  }
});

interface Member {
  readonly pid: number;
  readonly mark: string;
  /** As the watchdog is told it. */
  readonly group: string;
  readonly child: ChildProcess;
}

/** A group whose leader runs a script, and says so when it has got to its end. */
async function leader(script: string): Promise<Member> {
  const mark = `${prefix}/main/${++count}`;
  const child = spawn('/bin/sh', ['-c', `${script}\necho ready; exec sleep 60`], {
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { PATH: process.env['PATH'], PODRUN_CONTAINER_ID: mark },
  });
  if (child.stdout === null || child.pid === undefined) throw new Error('not started');
  started.push(child.pid);
  await once(child.stdout, 'data');
  child.stdout.destroy();
  return { pid: child.pid, mark, group: `${child.pid}:${factsOf(child.pid)?.startTime ?? ''}`, child };
}

/** Tells it these lines, then dies as podrun does; resolves when it has done its work. */
async function watch([shell = '', ...args]: readonly string[], lines: readonly string[]): Promise<number> {
  const watchdog = spawn(shell, [...args, '-c', WATCHDOG_SCRIPT], { stdio: ['pipe', 'ignore', 'pipe'] });
  let errors = '';
  watchdog.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
  watchdog.stdin.end(lines.map((line) => `${line}\n`).join(''));
  const [exitCode] = (await once(watchdog, 'close')) as [number];
  expect(errors.replaceAll(/.*(No such process|no such process).*\n/g, '')).toBe('');
  return exitCode;
}

describe.each(SHELLS)('the watchdog in %s', (...shell) => {
  it('kills every group that is listed when podrun dies', async () => {
    const members = await Promise.all(['', 'trap "" TERM INT HUP', 'sleep 60 & sleep 60 &'].map(leader));
    await watch(
      shell,
      members.map(({ group }) => `add ${group}`),
    );
    await expect.poll(() => markedPids(prefix)).toEqual([]);
  });

  it('leaves alone what was not listed, or not any more', async () => {
    const [kept, gone, other] = await Promise.all([leader(''), leader(''), leader('')]);
    await watch(
      shell,
      [`add ${kept.group}`, `mark ${kept.mark}`, `add ${gone.group}`, `mark ${gone.mark}`].concat([
        `del ${kept.group}`,
        `unmark ${kept.mark}`,
      ]),
    );
    await expect.poll(() => isRunning(gone.pid)).toBe(false);
    expect([kept, other].map(({ pid }) => isRunning(pid))).toEqual([true, true]);
  });

  it('has nothing to do when podrun ends as it should', async () => {
    const bystander = await leader('');
    const before = performance.now();
    expect(await watch(shell, [`add ${bystander.group}`, `del ${bystander.group}`])).toBe(0);
    expect(performance.now() - before).toBeLessThan(1000);
    expect(isRunning(bystander.pid)).toBe(true);
  });

  it('is not misled by lines that it does not know, or that are torn', async () => {
    const bystander = await leader('');
    await watch(shell, ['add', 'mark', 'mark ', 'add 0:', 'add 1:', 'add :', 'nonsense 5', `add${bystander.group}`]);
    expect(isRunning(bystander.pid)).toBe(true);
  });

  it.runIf(onLinux)("leaves a group alone whose number is another one's by now", async () => {
    const { pid } = await leader('');
    await watch(shell, [`add ${pid}:1`]);
    expect(isRunning(pid)).toBe(true);
  });

  it.runIf(onLinux)('finds what has left its group', async () => {
    const member = await leader('(setsid sleep 60 &); setsid -f sh -c "(setsid sleep 60 &) ; sleep 60; :"');
    await watch(shell, [`mark ${member.mark}`]);
    await expect.poll(() => markedPids(prefix)).toEqual([]);
  });

  it.runIf(onLinux)('kills only containers whose mark it was told', async () => {
    const [mine, other] = await Promise.all([leader(''), leader('')]);
    await watch(shell, [`mark ${mine.mark}`]);
    await expect.poll(() => isRunning(mine.pid)).toBe(false);
    expect(isRunning(other.pid)).toBe(true);
  });
});

it('ignores the signals that end everything else of a session', async () => {
  const watchdog = spawn('/bin/sh', ['-c', WATCHDOG_SCRIPT], { stdio: ['pipe', 'ignore', 'ignore'] });
  const member = await leader('');
  await new Promise((resolve) => {
    watchdog.stdin.write(`add ${member.group}\n`, resolve);
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const) watchdog.kill(signal);
  expect(isRunning(watchdog.pid ?? 0)).toBe(true);
  watchdog.stdin.end();
  await once(watchdog, 'close');
  await expect.poll(() => isRunning(member.pid)).toBe(false);
});
