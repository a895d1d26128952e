import { expect, it } from 'vitest';
import { workshopForEach } from './workshop.ts';

const workshop = workshopForEach();

// Elsewhere it takes an optional package.
it.runIf(process.platform === 'linux')('a container of a manifest that asks for a terminal has one', async () => {
  const command = ['sh', '-c', 'for fd in 0 1 2; do [ -t $fd ] && echo $fd; done; echo $TERM'];
  const pod = workshop.pod('web', { restartPolicy: 'Never', containers: [{ name: 'main', tty: true, command }] });
  expect(await workshop.run(['apply', pod, '--no-logs'], { TERM: 'dumb' })).toMatchObject({ exitCode: 0 });
  expect((await workshop.run(['logs', 'web'])).stdout).toBe('0\r\n1\r\n2\r\nxterm\r\n');
});
