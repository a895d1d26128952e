import { expect, it } from 'vitest';
import { removeTree } from '../../src/remove-tree.ts';
import { workshopForEach } from './workshop.ts';

const workshop = workshopForEach({ leavesPods: true });

const RUNTIME = ['--runtime', 'process'];
const INPUT = 'x'.repeat(1_000_000);

/** The manifest of a Pod that closes its standard input, and talks on. */
function deafPod(): string {
  const command = ['sh', '-c', 'exec 0<&-; while :; do echo line; sleep 0.02; done'];
  return workshop.pod('web', {
    terminationGracePeriodSeconds: 0,
    containers: [{ name: 'main', stdin: true, command }],
  });
}

it('a program that closes its standard input ends no client that writes there, nor the agent', async () => {
  await workshop.run(['apply', '-d', deafPod(), ...RUNTIME, '--until', 'ready']);
  const attached = workshop.start(['attach', '-i', 'web'], {}, INPUT);
  // The end of its input detaches it, perhaps before the next line of the Pod.
  await attached.until(({ stderr }) => stderr.includes('try pressing enter'));
  const exec = ['exec', '-i', 'web', '--', 'sh', '-c', 'exec 0<&-; sleep 0.5; echo closed'];
  expect(await workshop.start(exec, {}, INPUT).ended).toMatchObject({ exitCode: 0, stdout: 'closed\n' });
  attached.signal('SIGTERM');
  expect((await attached.ended).stderr).not.toMatch(/defect|^\s+at /m);
  const { stdout } = await workshop.run(['get', 'pod', 'web', '-o', 'jsonpath={.status.phase}']);
  expect(stdout).toBe('Running');
});

it.each([
  ['logs', '-f', 'web'],
  ['attach', 'web'],
])('%s of a Pod in the background ends when its reader is gone, and the Pod keeps running', async (...args) => {
  await workshop.run(['apply', '-d', deafPod(), ...RUNTIME, '--until', 'ready']);
  const client = workshop.start(args);
  await client.until(({ stdout }) => stdout.includes('line'));
  client.closeStdout();
  expect((await client.ended).stderr).not.toMatch(/defect|^\s+at /m);
  const { stdout } = await workshop.run(['get', 'pod', 'web', '-o', 'jsonpath={.status.phase}']);
  expect(stdout).toBe('Running');
});

it('a watch of a state folder that is removed ends on a signal without a defect', async () => {
  await workshop.run([
    'apply',
    workshop.pod('done', { restartPolicy: 'Never', containers: [{ name: 'c', command: ['true'] }] }),
    ...RUNTIME,
  ]);
  const watch = workshop.start(['get', 'pods', '--watch']);
  await watch.until(({ stdout }) => stdout.includes('done'));
  removeTree(workshop.stateDir);
  await workshop.run([
    'apply',
    workshop.pod('next', { restartPolicy: 'Never', containers: [{ name: 'c', command: ['true'] }] }),
    ...RUNTIME,
  ]);
  watch.signal('SIGTERM');
  expect((await watch.ended).stderr).not.toMatch(/defect|^\s+at /m);
});
