import { rmSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { workshopFor } from '../cli/workshop.ts';
import { applyArgs, type Door, DOORS } from './doors.ts';
import { DEPLOYMENT, service, SITUATIONS } from './situations.ts';

const DOOR_NAMES = Object.keys(DOORS) as Door[];

describe.concurrent.each(DOOR_NAMES)('the verdict of %s:', (door) => {
  const rows = Object.entries(SITUATIONS).flatMap(([name, situation]) => {
    const difference = situation.differs?.[door];
    const want = difference === undefined ? situation.want : difference.want;
    return want === undefined ? [] : [{ name, situation, want }];
  });

  it.for(rows)('$name', async ({ situation, want }, context) => {
    const workshop = workshopFor(context, { leavesPods: door === 'detach' });
    const seen = await DOORS[door](workshop, situation);
    expect(seen).toMatchObject({ exitCode: want.exitCode });
    // One line is about the cause, and none is there without one.
    expect(seen.errors.filter((line) => want.error?.test(line) !== true)).toEqual([]);
    expect(seen.errors.length > 0).toBe(want.error !== undefined);
    expect(seen.stdout).toContain(want.says ?? '');
    const { failed, isAnnotated = want.error !== undefined } = seen;
    const wantFailed = failed === undefined ? [] : (want.failed ?? []);
    expect(wantFailed.filter((name) => failed?.some((each) => name.test(each)) !== true)).toEqual([]);
    expect(want.exitCode === 0 ? (failed ?? []) : []).toEqual([]);
    // GitHub shows an error exactly when the step fails because of an object.
    expect(isAnnotated).toBe(want.error !== undefined);
    const looks = door === 'detach' ? (situation.wait ?? []) : [];
    for (const { args, exitCode, error } of looks) {
      const waited = await workshop.run(['wait', ...args]);
      expect({ args, exitCode: waited.exitCode }).toEqual({ args, exitCode });
      expect(waited.stderr).toMatch(error ?? /(?:)/);
    }
  });
});

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
    const { exitCode, stderr } = await workshop.start(['apply', pod, '--timeout', '60s', '--', ...check]).ended;
    expect(exitCode).toBe(0);
    expect(stderr).toMatch(
      /^Warning: the liveness probe of pod "web", container main, failed at all of its \d+ attempts .*: exit code 1/m,
    );
  });
});
