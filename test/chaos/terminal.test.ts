import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { workshopForEach } from '../cli/workshop.ts';
import { faultsAfter, podsOf } from './aftermath.ts';
import { PATIENT } from '../patience.ts';
import { needs } from '../needs.ts';

const workshop = workshopForEach();

const shellQuoted = (word: string): string => `'${word.replaceAll("'", String.raw`'\''`)}'`;

// script(1) makes the terminal: it is closed when script dies.
describe('a terminal that is closed', needs('script of util-linux'), () => {
  it('while lines are printed: the Pods end gracefully, and podrun does not crash', async () => {
    // The shell ignores SIGHUP: podrun must notice that it cannot print any more.
    const terminal = await openTerminal('while :; do echo line; sleep 0.01; done', (podrun) =>
      ["trap '' HUP", `${podrun} 2>errors`, 'echo $? >exit-code'].join('\n'),
    );
    terminal.kill('SIGKILL');
    const exitCode = path.join(workshop.folder, 'exit-code');
    // The shell makes the file before it writes to it.
    while (!existsSync(exitCode) || readFileSync(exitCode, 'utf8') === '') await sleep(10);
    expect(readFileSync(exitCode, 'utf8')).toBe('129\n');
    await expectGentleEnd();
  });

  it('while nothing is printed: the same', async () => {
    const program = 'trap "exit 0" TERM; echo line; while :; do sleep 0.05; done';
    const terminal = await openTerminal(program, (podrun) => `exec ${podrun} 2>errors`);
    terminal.kill('SIGKILL');
    await expect.poll(() => workshop.processes(), PATIENT).toEqual([]);
    await expectGentleEnd();
  });
});

/** Runs a Pod in a terminal. Resolves when the Pod has printed something. */
async function openTerminal(program: string, script: (podrun: string) => string): Promise<ChildProcess> {
  const main = { name: 'main', command: ['sh', '-c', program] };
  const manifest = workshop.pod('shown', { terminationGracePeriodSeconds: 2, containers: [main] });
  const words = workshop.commandLine(['apply', manifest]).map(shellQuoted).join(' ');
  const file = workshop.file('in-terminal.sh', script(words));
  const env = { ...process.env, PODRUN_STATE_DIR: workshop.stateDir };
  const terminal = spawn('script', ['-qec', `sh ${file}`, '/dev/null'], {
    cwd: workshop.folder,
    env,
    detached: true,
    stdio: 'pipe',
  });
  await new Promise<void>((resolve) => {
    terminal.stdout.on('data', (text: Buffer) => text.includes('line') && resolve());
  });
  return terminal;
}

async function expectGentleEnd(): Promise<void> {
  const phase = async (): Promise<string | undefined> => (await podsOf(workshop, {}))[0]?.status?.phase;
  await expect.poll(phase, PATIENT).toMatch(/Succeeded|Failed/);
  expect(readFileSync(path.join(workshop.folder, 'errors'), 'utf8')).not.toMatch(/defect|Assertion|^\s+at /m);
  await expect.poll(() => faultsAfter(workshop, { wasKilled: false })).toEqual([]);
}
