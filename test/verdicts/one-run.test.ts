import { rmSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { workshopFor } from '../cli/workshop.ts';
import { applyArgs } from './doors.ts';
import { DEPLOYMENT, service } from './situations.ts';

describe('a Deployment that missed its progress deadline in an earlier run', () => {
  it('is judged by what happens in this one', async (context) => {
    const workshop = workshopFor(context);
    const args = applyArgs(workshop, { objects: [DEPLOYMENT], until: ['ready'] });
    const unready = workshop.file('unready', '');
    expect(await workshop.run(args)).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('ProgressDeadlineExceeded') as string,
    });
    expect(
      await workshop.run(['get', 'deployment', 'web', '-o', 'jsonpath={.status.conditions[*].reason}']),
    ).toMatchObject({
      stdout: expect.stringContaining('ProgressDeadlineExceeded') as string,
    });
    rmSync(unready);
    expect(await workshop.run(args)).toMatchObject({ exitCode: 0, stderr: '' });
  });
});

describe('a Service that is applied before its Pods', () => {
  it('is a warning, and serves when they run', async (context) => {
    const workshop = workshopFor(context);
    const first = workshop.file('service.yaml', stringify(service({ app: 'web' })));
    const pods = workshop.file('pods.yaml', stringify(DEPLOYMENT));
    const warning = `Warning: service/web: spec.selector: selects no Pod: there is no Pod here (${first}:7:5)\n`;
    expect(await workshop.run(['apply', first])).toMatchObject({ exitCode: 0, stderr: warning });
    expect(await workshop.run(['apply', '--detach', pods, '--wait'])).toMatchObject({ exitCode: 0, stderr: '' });
    expect(await workshop.run(['apply', first, '--', 'echo', 'checked'])).toMatchObject({ exitCode: 0, stderr: '' });
    await workshop.run(['delete', 'deployment', 'web']);
  });
});

describe('a liveness probe that fails at every attempt', () => {
  it('is named when the run is over before it counts', async (context) => {
    const workshop = workshopFor(context);
    const command = ['sh', '-c', 'if test -e once; then touch twice; else touch once; fi; false'];
    const livenessProbe = { exec: { command }, periodSeconds: 1, failureThreshold: 100 };
    const main = { name: 'main', command: ['sleep', '1000'], livenessProbe };
    const pod = workshop.pod('web', { terminationGracePeriodSeconds: 0, containers: [main] });
    const check = ['sh', '-c', 'until test -e twice; do sleep 0.1; done'];
    const { exitCode, stderr } = await workshop.begin(['apply', pod, '--timeout', '60s', '--', ...check]).ended;
    expect(exitCode).toBe(0);
    expect(stderr).toMatch(
      /^Warning: the liveness probe of pod "web", container main, failed at all of its \d+ attempts .*: exit code 1/m,
    );
  });
});
