import { execa } from 'execa';
import { expect, it } from 'vitest';
import { workshopForEach } from './workshop.ts';
import { PATIENCE_MS } from '../patience.ts';
import { needs } from '../needs.ts';

const workshop = workshopForEach();

it('apply in a terminal of no width shows whole lines, and no status line', needs('script of util-linux'), async () => {
  const manifest = workshop.pod('narrow', {
    restartPolicy: 'Never',
    containers: [{ name: 'main', command: ['sh', '-c', 'stty size; sleep 0.5'] }],
  });
  const command = workshop.commandLine(['apply', manifest]).map((word) => `'${word}'`);
  const { CI: _, ...env } = process.env;
  const { stdout, exitCode } = await execa('script', ['-qec', command.join(' '), '/dev/null'], {
    cwd: workshop.folder,
    env: { ...env, PODRUN_STATE_DIR: workshop.stateDir, TERM: 'xterm' },
    extendEnv: false,
    stdin: 'ignore',
    timeout: PATIENCE_MS,
    killSignal: 'SIGKILL',
    maxBuffer: 100_000,
  });
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/narrow .*Succeeded/);
  expect(stdout).not.toContain('\u001B[1A');
});
