import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { workshopForEach } from './workshop.ts';
import { needs } from '../needs.ts';

const workshop = workshopForEach();

// The number of descriptors that Node itself needs differs between systems.
it.each([28, 32])(
  'with %i file descriptors a failure is reported, and the Pod keeps running',
  needs('Linux'),
  async (limit) => {
    const talks = (name: string, end: string) => ({
      name,
      command: ['sh', '-c', `for n in 1 2 3; do echo ${name}$n; sleep 0.1; done; ${end}`],
      livenessProbe: { exec: { command: ['true'] }, periodSeconds: 1 },
      lifecycle: { postStart: { exec: { command: ['sh', '-c', 'echo hello; sleep 0.2'] } } },
    });
    const containers = [talks('a', 'exit 1'), talks('b', 'exit 1'), talks('c', 'exit 0'), talks('d', 'exit 0')];
    const manifest = workshop.pod('many', { restartPolicy: 'OnFailure', terminationGracePeriodSeconds: 1, containers });
    const podrun = workshop.commandLine(['apply', manifest, '--backoff-initial=100ms', '--timeout=1200ms']);
    const limited = ['-c', 'ulimit -n "$0"; exec "$@"', String(limit), ...podrun];
    const env = { ...process.env, PODRUN_STATE_DIR: workshop.stateDir };
    const ended = promisify(execFile)('sh', limited, { env });
    await expect(ended).rejects.toMatchObject({
      code: 124,
      stderr: expect.stringMatching(
        /^(Warning: cannot use the .*: too many open files\n|waiting for .*\n)*error: timed out after/,
      ) as string,
    });
  },
);
