import { stringify } from 'yaml';
import { describe, expect, it } from 'vitest';
import type { Container, PodSpec } from '../../../src/api/generated/types.ts';
import { PATIENT } from '../../patience.ts';
import { type Workshop, workshopFor } from '../workshop.ts';

const SERVER = ['sleep', '1000'];

/** A template whose container has this command. */
function template(
  workshop: Workshop,
  command: readonly string[],
  spec: Partial<PodSpec> = {},
  more: Partial<Container> = {},
): object {
  const env = [{ name: 'WORKSHOP', value: workshop.folder }];
  const containers = [{ name: 'main', image: 'busybox', command, env, ...more }];
  return { metadata: { labels: { app: 'x' } }, spec: { terminationGracePeriodSeconds: 5, containers, ...spec } };
}

function server(workshop: Workshop, kind: 'Deployment' | 'StatefulSet', spec: object = {}, name = 'web'): object {
  const selector = { matchLabels: { app: 'x' } };
  const pods = { replicas: 2, selector, template: template(workshop, SERVER) };
  return { apiVersion: 'apps/v1', kind, metadata: { name }, spec: { ...pods, ...spec } };
}

function job(workshop: Workshop, command: readonly string[], name = 'task'): object {
  const spec = { backoffLimit: 0, template: template(workshop, command, { restartPolicy: 'Never' }) };
  return { apiVersion: 'batch/v1', kind: 'Job', metadata: { name }, spec };
}

/** Writes the objects into one file. */
function fileOf(workshop: Workshop, ...objects: readonly object[]): string {
  return workshop.file('objects.yaml', objects.map((object) => stringify(object)).join('---\n'));
}

const says = (word: string, then = ':'): string[] => ['sh', '-c', `echo ${word}; ${then}; exec sleep 1000`];
const SAID = '"${PODRUN_VOLUME_SAID:-/said}/it"'; // oxlint-disable-line no-template-curly-in-string
/** Ready when it has said its word: it may be ended then. */
const SAYING: Partial<Container> = {
  volumeMounts: [{ name: 'said', mountPath: '/said' }],
  readinessProbe: { exec: { command: ['sh', '-c', `test -e ${SAID}`] }, periodSeconds: 1, timeoutSeconds: 60 },
};
const FAILING = ['sh', '-c', 'echo no database; exit 3'];

describe.concurrent('the second apply of workloads', () => {
  /** A server that prints the word first, once it is ready to be ended. */
  const saying = (workshop: Workshop, word: string): string => {
    const volumes = [{ name: 'said', emptyDir: {} }];
    const pods = template(workshop, says(word, `: >${SAID}`), { volumes }, SAYING);
    return fileOf(workshop, server(workshop, 'Deployment', { template: pods }));
  };
  const said = (stdout: string): string[] =>
    [...stdout.matchAll(/│ \S+ +(\w+)$/gm)].map(([, word = '']) => word).toSorted();

  it('starts a changed Deployment with its template only, in each kind of run', async (context) => {
    const workshop = workshopFor(context);
    const until = ['--until', 'ready', '--settle', '100ms'];
    const first = await workshop.run(['apply', saying(workshop, 'one'), ...until]);
    const second = await workshop.run(['apply', saying(workshop, 'two'), ...until]);
    expect([first, second].map(({ stdout }) => said(stdout))).toEqual([
      ['one', 'one'],
      ['two', 'two'],
    ]);
    await workshop.run(['apply', saying(workshop, 'three'), '--detach', ...until]);
    const columns = 'custom-columns=N:.spec.replicas,R:.metadata.annotations.deployment\\.kubernetes\\.io/revision';
    const sets = await workshop.run(['get', 'rs', '--sort-by=.spec.replicas', '--no-headers', '-o', columns]);
    expect(
      sets.stdout
        .split('\n')
        .map((line) => line.replace(/ +/, ' '))
        .toSorted(),
    ).toEqual(['', '0 1', '0 2', '2 3']);
    const { stdout: pods } = await workshop.run(['get', 'pods', '-o', 'name']);
    expect(pods.match(/^pod\/web-/gm)).toHaveLength(2);
    expect((await workshop.run(['events', '--for', 'deployment/web'])).stdout).toContain('from 2 to 0');
    await workshop.run(['delete', 'deployment/web']);
  });

  it('rolls a changed Deployment with --rolling', async (context) => {
    const workshop = workshopFor(context);
    await workshop.run(['apply', saying(workshop, 'one'), '--until', 'ready', '--settle', '0s']);
    const { stdout } = await workshop.run(['apply', saying(workshop, 'two'), '--rolling', '--until', 'ready']);
    expect(said(stdout)).toEqual(['one', 'one', 'two', 'two']);
  });

  it('replaces a changed Job that was interrupted', async (context) => {
    const workshop = workshopFor(context);
    await workshop.run(['apply', fileOf(workshop, job(workshop, says('one'))), '--until', 'ready', '--settle', '0s']);
    const changed = fileOf(workshop, job(workshop, ['echo', 'two']));
    expect((await workshop.run(['apply', changed, '--dry-run'])).stdout).toBe('job.batch/task created (dry run)\n');
    const { exitCode, stdout } = await workshop.run(['apply', changed]);
    expect({ exitCode, said: said(stdout) }).toEqual({ exitCode: 0, said: ['two'] });
    expect(stdout).toContain('job.batch/task is replaced: it was interrupted, and its manifest is another one\n');
  });
});

describe.concurrent('apply of workloads', () => {
  it('ends with a Job that is complete, with 0', async (context) => {
    const workshop = workshopFor(context);
    const { exitCode, stdout } = await workshop.run(['apply', fileOf(workshop, job(workshop, ['true']))]);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^ +\S+s {2}· job\.batch\/task created\n/);
    expect(stdout).toMatch(/· job\/task +0\/1 complete\n/);
    expect(stdout).toMatch(/✓ job\/task +Complete, 1\/1 in \S+s\n$/);
  });

  it('ends with a Job that failed, with 1 and its reason', async (context) => {
    const workshop = workshopFor(context);
    const { exitCode, stdout, stderr } = await workshop.run(['apply', fileOf(workshop, job(workshop, FAILING))]);
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/✗ job\/\S+ +Failed: BackoffLimitExceeded, 1 Pod failed \(last: exit code 3\)\n$/);
    expect(stderr).toMatch(/^error: job "task" failed: BackoffLimitExceeded, 1 Pod failed \(last: exit code 3\)\n/);
    expect(stderr).toMatch(/\npod\/task-\w+: container main exited with code 3\n/);
    expect(stderr).toContain('no database');
  });

  it('runs COMMAND when a Deployment is ready, with the name of the Deployment in its variables', async (context) => {
    const workshop = workshopFor(context);
    const file = fileOf(workshop, server(workshop, 'Deployment', { replicas: 1 }));
    const check = 'echo "at $PODRUN_WEB_IP $PODRUN_IP"; exit 7';
    const { exitCode, stdout } = await workshop.run(['apply', file, '--', 'sh', '-c', check]);
    expect(exitCode).toBe(7);
    expect(stdout).toMatch(/✓ deployment\/\S+ +1\/1 ready\n/);
    const [, named, bare] = /^at (\S+) (\S+)$/m.exec(stdout) ?? [];
    expect(named).toMatch(/^127\./);
    expect(bare).toBe(named);
    expect(workshop.processes()).toEqual([]);
  });

  it('ends with 1 when a rollout misses its deadline, with the evidence of the worst Pod', async (context) => {
    const workshop = workshopFor(context);
    const probe = { exec: { command: ['sh', '-c', 'echo warming up; exit 1'] }, periodSeconds: 1, timeoutSeconds: 10 };
    const pods = template(workshop, SERVER, {
      containers: [{ name: 'main', image: 'busybox', command: SERVER, readinessProbe: probe }],
    });
    // The Pod has been probed long before, also on a busy machine.
    const spec = { replicas: 1, progressDeadlineSeconds: 12, template: pods };
    const file = fileOf(workshop, server(workshop, 'Deployment', spec));
    const { exitCode, stderr } = await workshop.run(['apply', file, '--until', 'ready', '--timeout', '3m']);
    expect(exitCode).toBe(1);
    const first =
      'error: deployment "web" cannot become ready: ProgressDeadlineExceeded, 0/1 ready, no progress for 12s\n';
    expect(stderr).toContain(first);
    expect(stderr).toMatch(/^pod\/web-\w+-\w+: container main is not ready/m);
    expect(stderr).toContain('warming up');
  });

  it('ends with 124 at the time limit, and names what is late', async (context) => {
    const workshop = workshopFor(context);
    const file = fileOf(workshop, server(workshop, 'Deployment'), job(workshop, ['sleep', '1000']));
    const { exitCode, stderr } = await workshop.run(['apply', file, '--until', 'complete', '--timeout', '2s']);
    expect(exitCode).toBe(124);
    expect(stderr).toMatch(/^error: timed out after 2s\njob\/task: 0\/1 complete/m);
    expect(stderr).toMatch(/^deployment\/web: done, it does not count for this goal\n/m);
    expect(workshop.processes()).toEqual([]);
  });

  it('keeps a server running after the last Job, and says so; --until complete ends then', async (context) => {
    const workshop = workshopFor(context);
    const file = fileOf(workshop, server(workshop, 'Deployment'), job(workshop, ['true']));
    const podrun = workshop.begin(['apply', file]);
    await podrun.until(({ stdout }) => /deployment\/\S+ +2\/2 ready/.test(stdout) && stdout.includes('keeps running'));
    podrun.signal('SIGINT');
    const { exitCode, stdout } = await podrun.ended;
    expect(exitCode).toBe(130);
    const end = '(Ctrl-C ends it; --until complete would have ended with the Jobs)';
    expect(stdout).toContain(`s  · job/task is complete; deployment/web keeps running ${end}\n`);
    const again = await workshop.run(['apply', file, '--until', 'complete']);
    expect(again.exitCode).toBe(0);
    expect(again.stdout).toContain('job.batch/task is replaced: it was Complete\n');
    expect(workshop.processes()).toEqual([]);
  });

  it('refuses a goal that nothing can reach, and starts nothing', async (context) => {
    const workshop = workshopFor(context);
    const { exitCode, stdout, stderr } = await workshop.run([
      'apply',
      fileOf(workshop, server(workshop, 'Deployment')),
      '--until',
      'complete',
    ]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toMatch(/^error: --until complete: no Deployment can reach this goal\n/);
  });

  it('changes a Deployment that another apply runs, and waits for the rollout', async (context) => {
    const workshop = workshopFor(context);
    const podrun = workshop.begin(['apply', fileOf(workshop, server(workshop, 'Deployment'))]);
    await podrun.until(({ stdout }) => /✓ deployment\/web +2\/2 ready/.test(stdout));
    const changed = server(workshop, 'Deployment', { template: template(workshop, ['sleep', '2000']) });
    const second = await workshop.run(['apply', fileOf(workshop, changed), '--until', 'ready']);
    expect(second).toMatchObject({ exitCode: 0, stdout: 'deployment.apps/web configured\n' });
    await podrun.until(({ stdout }) => /✓ deployment\/web +revision 2: 2\/2 ready/.test(stdout));
    expect(podrun.stdout).toMatch(/· deployment\/web +rolling out revision 2 \(command\)\n/);
    expect(podrun.stdout).toMatch(/› web-\S+ +deleted by the rollout: grace period 5s\n/);
    podrun.signal('SIGTERM');
    expect((await podrun.ended).exitCode).toBe(143);
  });

  it('ends the replicas of a StatefulSet one after the other, from the last one', async (context) => {
    const workshop = workshopFor(context);
    const file = fileOf(workshop, server(workshop, 'StatefulSet', { replicas: 3, serviceName: 'db' }, 'db'));
    const { exitCode, stdout } = await workshop.run(['apply', file, '--until', 'ready', '--settle', '0']);
    expect(exitCode).toBe(0);
    const ends = [...stdout.matchAll(/ (db-\d)\/main +(stopping|exited)/g)].map(([, name, what]) => `${name} ${what}`);
    expect(ends).toEqual(['db-2', 'db-1', 'db-0'].flatMap((name) => [`${name} stopping`, `${name} exited`]));
  });

  it('--detach --wait returns when all is ready, and leaves it running', async (context) => {
    const workshop = workshopFor(context);
    const file = fileOf(workshop, server(workshop, 'Deployment'));
    const { exitCode } = await workshop.run(['apply', '--detach', '--wait', file]);
    expect(exitCode).toBe(0);
    const path = '{.status.readyReplicas}';
    expect((await workshop.run(['get', 'deploy', 'web', '-o', `jsonpath=${path}`])).stdout).toBe('2');
    expect((await workshop.run(['delete', 'deploy', 'web'])).exitCode).toBe(0);
    await context.expect.poll(() => workshop.processes(), PATIENT).toEqual([]);
  });
});
