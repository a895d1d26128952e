import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { workshopForEach } from './workshop.ts';
import { freePort } from '../free-port.ts';

const workshop = workshopForEach();
const FIXTURE = fileURLToPath(new URL('../../fixtures/workloads/ingress.yaml', import.meta.url));

it('an Ingress is served while its Service is', async () => {
  const [http, https] = [await freePort(), await freePort()];
  const options = `{ port: ${http}, headers: { host: 'hello.localhost' } }`;
  const ask = `require('http').get(${options}, (answer) => answer.pipe(process.stdout))`;
  const flags = ['--ingress-port', `${http},${https}`, '--until', 'ready'];
  const { exitCode, stdout } = await workshop.run(['apply', FIXTURE, ...flags, '--', process.execPath, '-e', ask]);
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: expect.stringMatching(/^hello$/m) as string });
  expect(stdout).toMatch(new RegExp(`ingress/hello +http://hello\\.localhost:${http}/\n`));
});

it('an Ingress and a Service of an earlier run are neither served nor named beside other Pods', async () => {
  const variables = ['--until', 'ready', '--settle', '0s', '--', 'env'];
  const first = await workshop.run(['apply', FIXTURE, ...variables]);
  expect(first.stdout).toMatch(/^PODRUN_HELLO_URL=/m);
  const pod = workshop.pod('other', { containers: [{ name: 'main', image: 'busybox', command: ['sleep', '1000'] }] });
  const { exitCode, stdout } = await workshop.run(['apply', pod, '--runtime', 'process', ...variables]);
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/^PODRUN_OTHER_IP=/m);
  expect(stdout).not.toMatch(/hello|NoServiceNames/i);
});

it('--ingress-port takes two ports', async () => {
  const { exitCode, stderr } = await workshop.run(['apply', FIXTURE, '--ingress-port', '8080']);
  expect({ exitCode, stderr }).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('--ingress-port: "8080" is not two ports') as string,
  });
});
