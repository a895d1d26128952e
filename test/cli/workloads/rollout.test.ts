import { describe, expect, it } from 'vitest';
import type { DeploymentSpec } from '../../../src/api/generated/types.ts';
import type { KubeObject, StoredKubeObject } from '../../../src/api/base/objects.ts';
import { runHere } from '../in-process.ts';
import { storeOf } from '../prepared-store.ts';
import { workshopForEach } from '../workshop.ts';
import { putRestingWorkloads, putWorkloads, rolloutsOf } from './golden-workloads.ts';

const workshop = workshopForEach();

const run = (line: string) => runHere(workshop, line.split(' '));
const find = (resource: string, name: string): StoredKubeObject =>
  storeOf(workshop).get<StoredKubeObject>(resource, 'default', name)!;
const web = () => find('deployments', 'web') as StoredKubeObject & { spec: DeploymentSpec };
const versionOf = ({ spec }: { spec: DeploymentSpec }) => spec.template.spec?.containers[0]?.env?.[0]?.value;
const ok = (stdout: string) => ({ exitCode: 0, stdout, stderr: '' });
const failed = (stderr: string) => ({ exitCode: 1, stdout: '', stderr });

describe.each([
  'daemonset-ready',
  'deployment-available',
  'deployment-stuck',
  'deployment-updated',
  'statefulset-ready',
])('with the recorded state %s', (state) => {
  it.each(rolloutsOf(state))('$command', async ({ command, stdout, stderr, exit }) => {
    putWorkloads(workshop, state);
    expect(await run(command.replace('kubectl ', ''))).toEqual({ stdout, stderr, exitCode: exit });
  });
});

describe('rollout status', () => {
  it('ends at the timeout, and says what it waits for', async () => {
    putWorkloads(workshop, 'deployment-updated');
    await run('rollout restart deployment/web');
    expect(await run('rollout status deployment/web --timeout=10ms')).toEqual({
      exitCode: 1,
      stdout: 'Waiting for deployment spec update to be observed...\n',
      stderr: 'error: timed out waiting for the condition\n',
    });
  });

  it('follows each change, and prints a line once', async () => {
    putWorkloads(workshop, 'deployment-updated');
    await run('rollout restart deployment/web');
    const status = workshop.start(['rollout', 'status', 'deployment/web']);
    await status.until(({ stdout }) => stdout.includes('observed'));
    const store = storeOf(workshop);
    const seen = { ...(web()['status'] as object), observedGeneration: web().metadata.generation };
    store.updateStatus<KubeObject>('deployments', { ...web(), status: { ...seen, updatedReplicas: 1 } });
    await status.until(({ stdout }) => stdout.includes('updated...'));
    store.updateStatus<KubeObject>('deployments', { ...web(), status: seen });
    const waiting = 'Waiting for deployment "web" rollout to finish:';
    expect(await status.ended).toMatchObject(
      ok(
        'Waiting for deployment spec update to be observed...\n' +
          `${waiting} 1 out of 2 new replicas have been updated...\n` +
          'deployment "web" successfully rolled out\n',
      ),
    );
  });

  it('says that no agent runs the workload', async () => {
    putRestingWorkloads(workshop, 'deployment-updated');
    expect((await run('wait deployment/web --for=condition=Available')).exitCode).toBe(0);
    expect(await run('rollout restart deployment/web')).toMatchObject({
      exitCode: 0,
      stderr:
        "Warning: no podrun runs deployment.apps/web: the change takes effect with the next 'podrun apply' of it\n",
    });
    const atRest = "error: no podrun runs deployment.apps/web: it continues with the next 'podrun apply' of it\n";
    expect(await run('rollout status deployment/web')).toEqual(failed(atRest));
    expect(await run('wait deployment/web --for=condition=Progressing=False')).toEqual(failed(atRest));
  });

  it('ends with the agent of the workload', async () => {
    putRestingWorkloads(workshop, 'deployment-updated');
    const claim = storeOf(workshop).owners.claim('deployments', { namespace: 'default', name: 'web' });
    await run('rollout restart deployment/web');
    const status = workshop.start(['rollout', 'status', 'deployment/web']);
    await status.until(({ stdout }) => stdout.includes('observed'));
    if (claim.ok) claim.release();
    expect(await status.ended).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('no podrun runs') as string,
    });
  });

  it('fails when the object is deleted, has no rollouts, or another revision', async () => {
    putWorkloads(workshop, 'everything');
    expect(await run('rollout status job/migrate --watch=false')).toEqual(
      failed('error: no status viewer has been implemented for Job.batch\n'),
    );
    expect(await run('rollout status deployment/web --watch=false --revision=7')).toEqual(
      failed('error: desired revision (7) is different from the running revision (1)\n'),
    );
    await run('rollout restart deployment/web');
    const status = workshop.start(['rollout', 'status', 'deployment/web']);
    await status.until(({ stdout }) => stdout.includes('observed'));
    storeOf(workshop).delete('deployments', 'default', 'web');
    expect(await status.ended).toMatchObject({ exitCode: 1, stderr: 'error: object has been deleted\n' });
  });
});

describe('rollout undo', () => {
  it('gives a Deployment its former template and the annotations of its ReplicaSet', async () => {
    putWorkloads(workshop, 'deployment-updated');
    const { generation = 0 } = web().metadata;
    expect(versionOf(web())).toBe('two');
    expect(await run('rollout undo deployment/web')).toEqual(ok('deployment.apps/web rolled back\n'));
    expect(versionOf(web())).toBe('one');
    expect(web().spec.template.metadata?.labels).toEqual({ app: 'web' });
    expect(web().metadata.generation).toBe(generation + 1);
    expect(await run('rollout undo deployment/web --to-revision=1')).toEqual(
      ok('deployment.apps/web skipped rollback (current template already matches revision 1)\n'),
    );
  });

  it('warns when apply made the object', async () => {
    putWorkloads(workshop, 'deployment-updated');
    storeOf(workshop).rememberApplied('deployments', web(), web());
    const { stderr } = await run('rollout undo deployment/web');
    expect(stderr).toBe(
      "Warning: the manifest of deployment.apps/web stays unchanged: the next 'podrun apply' of it brings its " +
        'template back\n',
    );
  });

  it('gives a StatefulSet its former template', async () => {
    putWorkloads(workshop, 'statefulset-ready');
    const [first] = storeOf(workshop).list<StoredKubeObject>('controllerrevisions', { namespace: 'default' });
    const data = structuredClone(first!['data']) as { spec: { template: DeploymentSpec['template'] } };
    data.spec.template.spec!.containers[0]!.image = 'busybox:2';
    const metadata = { ...first!.metadata, name: 'db-2', uid: 'second', resourceVersion: '' };
    storeOf(workshop).create('controllerrevisions', { ...first!, data, revision: 2, metadata });
    expect(await run('rollout undo statefulset/db --to-revision=2')).toEqual(ok('statefulset.apps/db rolled back\n'));
    const { spec } = find('statefulsets', 'db') as StoredKubeObject & { spec: DeploymentSpec };
    expect(spec.template.spec?.containers[0]?.image).toBe('busybox:2');
  });

  it.each([
    ['deployment-available', 'deployment/web', 'no rollout history found for deployment "web"'],
    ['deployment-updated', 'deployment/web --to-revision=7', 'unable to find specified revision 7 in history'],
    ['statefulset-ready', 'statefulset/db', 'no last revision to roll back to'],
    ['job-complete', 'job/pi', 'no rollbacker has been implemented for "Job.batch"'],
  ])('of %s: %s is refused', async (state, target, message) => {
    putWorkloads(workshop, state);
    expect(await run(`rollout undo ${target}`)).toEqual(failed(`error: ${message}\n`));
  });
});

describe('rollout restart, pause and resume', () => {
  it('change a Deployment once', async () => {
    putWorkloads(workshop, 'deployment-updated');
    expect(await run('rollout restart deployment')).toEqual(ok('deployment.apps/web restarted\n'));
    expect(Object.keys(web().spec.template.metadata?.annotations ?? {})).toEqual(['kubectl.kubernetes.io/restartedAt']);
    expect(await run('rollout pause deployment/web')).toEqual(ok('deployment.apps/web paused\n'));
    expect(web().spec.paused).toBe(true);
    const refusal = 'error: deployments.apps "web"';
    expect(await run('rollout pause deployment/web')).toEqual(failed(`${refusal} is already paused\n`));
    expect(await run('rollout restart deployment/web')).toEqual(
      failed(`${refusal} can't restart paused deployment (run rollout resume first)\n`),
    );
    expect(await run('rollout undo deployment/web')).toEqual(
      failed(
        'error: you cannot rollback a paused deployment; ' +
          "resume it first with 'kubectl rollout resume' and try again\nHere: podrun rollout resume deployment/web\n",
      ),
    );
    expect(await run('rollout resume deployment/web')).toEqual(ok('deployment.apps/web resumed\n'));
    expect(web().spec).not.toHaveProperty('paused');
    expect(await run('rollout resume deployment/web')).toEqual(failed(`${refusal} is not paused\n`));
  });

  it('change nothing in a dry run', async () => {
    putWorkloads(workshop, 'deployment-updated');
    const before = web();
    expect(await run('rollout pause deployment/web --dry-run=server')).toEqual(
      ok('deployment.apps/web paused (server dry run)\n'),
    );
    expect(web()).toEqual(before);
  });

  it('need a kind with rollouts, and an object', async () => {
    putWorkloads(workshop, 'everything');
    expect(await run('rollout pause statefulset/db')).toEqual(
      failed('error: statefulsets.apps "db" pausing is not supported\n'),
    );
    expect(await run('rollout restart deployment -n other')).toEqual({
      exitCode: 0,
      stdout: '',
      stderr: 'No resources found in other namespace.\n',
    });
    expect(await run('rollout restart deployment/nosuch')).toMatchObject({
      exitCode: 1,
      stderr: 'Error from server (NotFound): deployments.apps "nosuch" not found\n',
    });
    expect(await run('rollout restart')).toMatchObject({
      exitCode: 2,
      stderr: 'error: required resource not specified\n',
    });
    expect(await run('rollout stat')).toMatchObject({
      exitCode: 2,
      stderr:
        'error: unknown command "stat" for "podrun rollout"\n\nDid you mean this?\n\tstatus\n\n' +
        "See 'podrun rollout --help' for usage.\n",
    });
  });
});
