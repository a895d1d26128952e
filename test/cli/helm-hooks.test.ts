import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { PATIENCE_MS } from '../patience.ts';
import { type Workshop, workshopFor } from './workshop.ts';

interface HookJob {
  readonly name: string;
  readonly hook?: string;
  readonly weight?: number;
  readonly policy?: string;
  readonly script: string;
  readonly envFrom?: string;
}

/** A Job that runs a script in the folder of the test. */
function job({ name, hook, weight = 0, policy, script, envFrom }: HookJob): string {
  const annotations = [
    ...(hook === undefined ? [] : [`helm.sh/hook: ${hook}`, `helm.sh/hook-weight: "${weight}"`]),
    ...(policy === undefined ? [] : [`helm.sh/hook-delete-policy: ${policy}`]),
  ];
  return `
apiVersion: batch/v1
kind: Job
metadata: {name: ${name}, annotations: {${annotations.join(', ')}}}
spec:
  backoffLimit: 0
  template:
    spec:
      restartPolicy: Never
      terminationGracePeriodSeconds: 0
      containers:
      - name: c
        image: busybox
        command: [sh, -c, ${JSON.stringify(script)}]
        ${envFrom === undefined ? '' : `envFrom: [{configMapRef: {name: ${envFrom}}}]`}
`;
}

const settings = (hook: string): string => `
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, annotations: {helm.sh/hook: ${hook}, helm.sh/hook-weight: "-5"}}
data: {WORD: migrated}
`;

const chart = (...documents: string[]): string => documents.join('---');

/** A command that appends a word to the file of the test, which has them in their order. */
function wrote(workshop: Workshop): { readonly write: (word: string) => string; readonly words: () => string[] } {
  const file = path.join(workshop.folder, 'order');
  return {
    write: (word) => `echo ${word} >> ${file}`,
    words: () => (existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []),
  };
}

describe('apply --helm-hooks', { concurrent: true, timeout: 4 * PATIENCE_MS }, () => {
  it('runs the hooks of an installation before and after the rest, and deletes by their policies', async (context) => {
    const workshop = workshopFor(context);
    const { write, words } = wrote(workshop);
    const file = workshop.file(
      'chart.yaml',
      chart(
        job({ name: 'after', hook: 'post-install', script: write('after') }),
        job({ name: 'app', script: write('app') }),
        job({
          name: 'prepare',
          hook: 'pre-install,pre-upgrade',
          policy: 'hook-succeeded',
          script: write('$WORD'),
          envFrom: 'settings',
        }),
        job({ name: 'first', hook: 'pre-install', weight: -1, script: `sleep 0.2; ${write('first')}` }),
        job({ name: 'clean', hook: 'post-delete', script: write('clean') }),
        settings('pre-install'),
      ),
    );
    const args = ['apply', '-n', 'shop', '--helm-hooks', file, '--until', 'complete'];
    const { exitCode, stdout, stderr } = await workshop.run(args);
    expect(stderr).toContain('Warning: hooks of helm are not run: job/clean (post-delete)\n');
    expect(exitCode).toBe(0);
    expect(words().slice(0, 2)).toEqual(['first', 'migrated']);
    expect(words().slice(2).toSorted()).toEqual(['after', 'app']);
    expect(stdout).toMatch(
      new RegExp(
        [
          'configmap/settings created',
          'job.batch/first has succeeded',
          'job.batch/prepare has succeeded',
          'job.batch/prepare deleted',
          'job.batch/app created',
          'job.batch/after has succeeded',
        ].join('[^]*'),
      ),
    );
    const jobs = await workshop.run(['get', 'jobs', '-n', 'shop', '-o', 'name']);
    expect(jobs.stdout).toBe('job.batch/after\njob.batch/app\njob.batch/first\n');
    // A second installation begins with hooks that exist: they are deleted before.
    const again = await workshop.run(args);
    expect([again.exitCode, again.stdout]).toEqual([0, expect.stringContaining('job.batch/first deleted')]);
  });

  it('starts nothing after a hook that fails, and says why', async (context) => {
    const workshop = workshopFor(context);
    const { write, words } = wrote(workshop);
    const file = workshop.file(
      'chart.yaml',
      chart(
        job({ name: 'app', script: write('app') }),
        job({ name: 'bad', hook: 'pre-install', policy: 'hook-failed', script: `${write('bad')}; exit 3` }),
        job({ name: 'never', hook: 'pre-install', weight: 1, script: write('never') }),
      ),
    );
    for (const flags of [[], ['--detach']]) {
      const { exitCode, stderr } = await workshop.run(['apply', '--helm-hooks', ...flags, file]);
      expect(exitCode).toBe(1);
      expect(stderr).toContain('error: job.batch/bad: the pre-install hook failed: BackoffLimitExceeded: ');
      expect((await workshop.run(['get', 'jobs', '-o', 'name'])).stdout).toBe('');
    }
    expect(words()).toEqual(['bad', 'bad']);
  });

  it('runs hooks before and after a run in the background, whose end they decide', async (context) => {
    const workshop = workshopFor(context, { leavesPods: true });
    const { write, words } = wrote(workshop);
    const pod = `
apiVersion: v1
kind: Pod
metadata: {name: server}
spec:
  terminationGracePeriodSeconds: 0
  containers: [{name: c, image: busybox, command: [sh, -c, ${JSON.stringify(`${write('server')}; exec sleep 600`)}]}]
`;
    const before = job({ name: 'before', hook: 'pre-install', script: write('before') });
    const after = job({ name: 'after', hook: 'post-install', script: `${write('after')}; exit 1` });
    const file = workshop.file('chart.yaml', chart(after, pod, before));
    const { exitCode, stderr } = await workshop.run(['apply', '-d', '--helm-hooks', file]);
    expect(exitCode).toBe(1);
    expect(stderr).toContain('error: job.batch/after: the post-install hook failed: BackoffLimitExceeded: ');
    expect(words()[0]).toBe('before');
    expect(words().toSorted()).toEqual(['after', 'before', 'server']);
    expect((await workshop.run(['get', 'pod/server', '-o', 'jsonpath={.status.phase}'])).stdout).toBe('Running');
  });

  it('ends a hook that takes too long, or that the user interrupts', async (context) => {
    const workshop = workshopFor(context);
    const { write, words } = wrote(workshop);
    const slow = job({ name: 'slow', hook: 'pre-install', script: `${write('slow')}; exec sleep 600` });
    const file = workshop.file('chart.yaml', chart(slow, job({ name: 'app', script: write('app') })));
    const late = await workshop.run(['apply', '--helm-hooks', file, '--timeout', '2s']);
    expect([late.exitCode, late.stderr]).toEqual([124, expect.stringContaining('waiting for the hook job.batch/slow')]);
    const run = workshop.start(['apply', '--helm-hooks', file]);
    await run.until(({ stdout }) => /slow.*Ready/.test(stdout));
    run.signal('SIGINT');
    expect((await run.ended).exitCode).toBe(130);
    expect(words()).not.toContain('app');
  });

  it('is refused where no API is served', async (context) => {
    const workshop = workshopFor(context);
    const { exitCode, stderr } = await workshop.run(['apply', '--helm-hooks', '--no-api', 'chart.yaml']);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('--helm-hooks cannot be used with --no-api')]);
  });
});
