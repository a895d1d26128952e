import { expect, it } from 'vitest';
import type { Container } from '../../src/api/generated/types.ts';
import { workshopForEach } from './workshop.ts';

const workshop = workshopForEach();

const DEAF = ['sh', '-c', 'trap "" TERM; : >deaf; while :; do sleep 0.1; done'];
const POLITE = ['sh', '-c', 'trap "exit 0" TERM; : >polite; while :; do sleep 0.1; done'];

/** A container that is Ready as soon as its signal handler is set. */
function container(command: string[], file: string): Container {
  const readinessProbe = { exec: { command: ['test', '-e', file] }, periodSeconds: 1, timeoutSeconds: 10 };
  return { name: 'app', image: 'busybox', command, readinessProbe };
}

interface Told {
  readonly basis: { readonly starts: number; readonly stops: number; readonly measured: number };
  readonly advice: ReadonlyArray<{ readonly rule: string; readonly path: string }>;
}

it('advises on an ended run and on the run before it', async () => {
  const common = { terminationGracePeriodSeconds: 1 };
  const deaf = workshop.pod('web', { ...common, containers: [container(DEAF, 'deaf')] });
  expect((await workshop.run(['apply', deaf, '--until', 'ready'])).exitCode).toBe(0);
  const polite = workshop.pod('web', {
    ...common,
    terminationGracePeriodSeconds: 3600,
    containers: [container(POLITE, 'polite')],
  });
  expect((await workshop.run(['apply', polite, '--until', 'ready'])).exitCode).toBe(0);

  const before = await workshop.run(['advise', 'pod/web@1']);
  expect(before).toMatchObject({ exitCode: 0, stderr: '' });
  expect(before.stdout).toMatch(/^web@1: 1 problem, from \S+ with 1 start, 1 stop/);
  expect(before.stdout).toContain('problem  app: signal-ignored\n  spec.containers[0].command\n');
  expect(await workshop.run(['advise', 'web@1', '-o', 'patch'])).toEqual({
    exitCode: 0,
    stdout: '',
    stderr: 'web@1: nothing to change in the manifest\n',
  });

  const { advice, basis } = JSON.parse((await workshop.run(['advise', 'web', '-o', 'json'])).stdout) as Told;
  expect(basis).toMatchObject({ starts: 1, stops: 1, measured: process.platform === 'linux' ? 1 : 0 });
  expect(advice.map(({ rule, path }) => [rule, path])).toEqual([
    ['grace-too-long', 'spec.terminationGracePeriodSeconds'],
  ]);
  const patch = await workshop.run(['advise', 'web', '-o', 'patch']);
  expect(patch.stdout.replace(/\d+\n$/, 'N\n')).toBe(
    [
      'apiVersion: v1',
      'kind: Pod',
      'metadata:',
      '  name: web',
      '  namespace: default',
      'spec:',
      '  terminationGracePeriodSeconds: N',
      '',
    ].join('\n'),
  );
});

it('reports an unknown run', async () => {
  const { exitCode, stdout, stderr } = await workshop.run(['advise', 'nosuch']);
  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
  expect(stderr).toBe('Error from server (NotFound): pods "nosuch" not found\n');
});
