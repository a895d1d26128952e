import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  bootId,
  factsOf,
  isProcessAlive,
  localProcesses,
  parseProcStat,
  parsePsLine,
  PS_COLUMNS,
  startTimeOf,
} from '../../src/runtime/watch/process-identity.ts';
import { PATIENCE_MS } from '../patience.ts';

const REST = '1 4242 4242 0 -1 4194560 0 0 0 0 0 0 0 0 20 0 1 0 987654 2000 100';

describe('parseProcStat()', () => {
  it.each([
    { name: 'sh' },
    { name: '' },
    { name: 'a b' },
    { name: ') R 1 2 3' },
    { name: '((((' },
    { name: 'x) Z (y' },
    { name: 'two\nlines' },
    { name: 'Web Content' },
  ])('is not misled by a program called $name', ({ name }) => {
    expect(parseProcStat(`4242 (${name}) S ${REST}`)).toEqual({
      pid: 4242,
      startTime: '987654',
      parentPid: 1,
      groupId: 4242,
      sessionId: 4242,
      isZombie: false,
      isEnding: false,
    });
  });

  it.each([
    { state: 'Z', threads: 1, isZombie: true },
    { state: 'X', threads: 1, isZombie: true },
    { state: 'Z', threads: 3, isZombie: false },
    { state: 'T', threads: 1, isZombie: false },
    { state: 'D', threads: 1, isZombie: false },
  ])('state $state with $threads threads: isZombie $isZombie', ({ state, threads, isZombie }) => {
    const rest = REST.replace('20 0 1 0', `20 0 ${threads} 0`);
    expect(parseProcStat(`1 (x) ${state} ${rest}`)?.isZombie).toBe(isZombie);
  });

  it.each([{ text: '' }, { text: '4242 (sh' }, { text: '4242 (sh) S 1 2' }])('makes nothing of $text', ({ text }) => {
    expect(parseProcStat(text)).toBeUndefined();
  });
});

describe('parsePsLine()', () => {
  it('reads what ps says on macOS', () => {
    expect(parsePsLine('  417     1   415 Ss+  Fri Nov  6 09:35:17 2026')).toEqual({
      pid: 417,
      startTime: 'Fri Nov  6 09:35:17 2026',
      parentPid: 1,
      groupId: 415,
      sessionId: 0,
      isZombie: false,
      isEnding: false,
    });
  });

  it('reads what ps says here, and agrees with /proc', () => {
    const line = execFileSync('ps', ['-o', PS_COLUMNS.join(','), '-p', String(process.pid)], { encoding: 'utf8' });
    const facts = factsOf(process.pid);
    expect(parsePsLine(line)).toMatchObject({
      pid: process.pid,
      parentPid: facts?.parentPid,
      groupId: facts?.groupId,
      isZombie: false,
    });
  });

  it.each([{ line: '' }, { line: 'PID PPID PGID STAT STARTED' }])('makes nothing of "$line"', ({ line }) => {
    expect(parsePsLine(line)).toBeUndefined();
  });
});

describe('startTimeOf()', () => {
  it('stays the same for a living process, and tells two processes apart', async () => {
    const child = spawn('sleep', ['60'], { stdio: 'ignore' });
    const pid = child.pid ?? 0;
    const startTime = startTimeOf(pid);
    expect(startTime).toBe(startTimeOf(pid));
    expect(startTime).not.toBe(startTimeOf(process.pid));
    expect(isProcessAlive({ pid, startTime: startTime ?? '' })).toBe(true);
    expect(isProcessAlive({ pid, startTime: '1' })).toBe(false);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(startTimeOf(pid)).toBeUndefined();
    expect(isProcessAlive({ pid, startTime: startTime ?? '' })).toBe(false);
  });

  it('takes a isZombie for gone', async () => {
    // The child ends when the shell has become `sleep`, which never waits for its children.
    const child = 'sh -c "until grep -q sleep /proc/$PPID/comm; do :; done" &';
    const script = `${child.replace('$', '\\$')} echo $!; exec sleep 60`;
    const parent = spawn('sh', ['-c', script], { stdio: ['ignore', 'pipe', 'ignore'] });
    const [chunk] = (await once(parent.stdout, 'data')) as [Buffer];
    const pid = Number(chunk.toString());
    const deadlineMs = performance.now() + PATIENCE_MS;
    while (!readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z '))
      expect(performance.now()).toBeLessThan(deadlineMs);
    expect(startTimeOf(pid)).toBeUndefined();
    expect(factsOf(pid)).toMatchObject({ pid, isZombie: true });
    parent.kill('SIGKILL');
    await once(parent, 'exit');
  });

  it('is undefined for unused pids', () => {
    expect(startTimeOf(2 ** 30)).toBeUndefined();
  });
});

describe('isEnding()', () => {
  const { isEnding } = localProcesses;

  it('is true for a killed process until that is gone, and for no other', () => {
    expect(isEnding(process.pid)).toBe(false);
    // The signal is taken at any moment of a look: many looks at many processes meet it.
    for (let round = 0; round < 100; round += 1) {
      const child = spawn('sleep', ['60'], { stdio: 'ignore' });
      const pid = child.pid ?? 0;
      expect([startTimeOf(pid), isEnding(pid)]).toEqual([expect.any(String), false]);
      child.kill('SIGKILL');
      do expect(isEnding(pid)).toBe(true);
      while (startTimeOf(pid) !== undefined);
    }
  });

  it('reads the letter of BSD', () => {
    expect(parsePsLine('  417     1   415 ?Es  Fri Nov  6 09:35:17 2026')?.isEnding).toBe(true);
  });
});

describe('bootId()', () => {
  it('is a word that does not change', () => {
    expect(bootId()).toMatch(/^[0-9a-f-]{36}$/);
    expect(bootId()).toBe(bootId());
  });
});
