import { execFileSync } from 'node:child_process';
import { execa } from 'execa';
import { expect, it } from 'vitest';
import { workshopForEach } from './workshop.ts';
import { PATIENCE_MS } from '../patience.ts';

const workshop = workshopForEach();

/** script(1) makes a terminal without a size, as some CI systems do. */
const hasScript = process.platform === 'linux' && isUtilLinux();

it.runIf(hasScript)('apply in a terminal of no width shows whole lines, and no status line', async () => {
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
  expect(stdout).toMatch(/Pod\s.*Succeeded/);
  expect(stdout).not.toContain('\u001B[1A');
});

function isUtilLinux(): boolean {
  try {
    return execFileSync('script', ['--version'], { encoding: 'utf8' }).includes('util-linux');
  } catch {
    return false;
  }
}
