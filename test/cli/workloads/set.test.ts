import { beforeEach, describe, expect, it } from 'vitest';
import type { Container, PodSpec } from '../../../src/api/generated/types.ts';
import type { StoredKubeObject } from '../../../src/api/base/objects.ts';
import { runHere } from '../in-process.ts';
import { putObjects, putStates, storeOf } from '../prepared-store.ts';
import { workshopForEach } from '../workshop.ts';
import { putWorkloads } from './golden-workloads.ts';

const workshop = workshopForEach();

const run = (line: string) => runHere(workshop, line.split(' '));
const templateOf = (resource: string, name: string): PodSpec => {
  const object = storeOf(workshop).get<StoredKubeObject>(resource, 'default', name)!;
  return (object['spec'] as { template: { spec: PodSpec } }).template.spec;
};
const main = (): Container => templateOf('deployments', 'web').containers[0]!;
const ok = (stdout: string) => ({ exitCode: 0, stdout, stderr: '' });
const failed = (stderr: string, exitCode = 1) => ({ exitCode, stdout: '', stderr });

beforeEach(() => putWorkloads(workshop, 'deployment-updated'));

describe('set image', () => {
  it('changes one container or all, and says nothing when nothing changes', async () => {
    expect(await run('set image deployment/web main=busybox:2')).toEqual(ok('deployment.apps/web image updated\n'));
    expect(main().image).toBe('busybox:2');
    expect(await run('set image deploy web *=busybox:3')).toEqual(ok('deployment.apps/web image updated\n'));
    expect(main().image).toBe('busybox:3');
    expect(await run('set image deployment/web main=busybox:3')).toEqual(ok(''));
  });

  it('changes Pods and templates of CronJobs', async () => {
    putStates(storeOf(workshop), ['running-ready']);
    putWorkloads(workshop, 'cronjob-with-active-job');
    expect(await run('set image pod/web web=nginx:2')).toEqual(ok('pod/web image updated\n'));
    expect(
      await run('set image cronjob/report *=busybox:2 -o jsonpath={.spec.jobTemplate.spec.template.spec}'),
    ).toEqual(
      expect.objectContaining({ exitCode: 0, stdout: expect.stringContaining('"image":"busybox:2"') as string }),
    );
  });

  it.each([
    ['deployment/web other=img', 1, 'unable to find container named "other"'],
    ['deployment/web', 2, 'at least one image update is required'],
    ['main=img', 2, 'one or more resources must be specified as <resource> <name> or <resource>/<name>'],
    [
      'deployment/web *=a main=b',
      2,
      'all containers are already specified by *, but saw more than one container_name=container_image pairs',
    ],
    ['deployment/web main=a pod', 2, 'all resources must be specified before image changes: pod'],
    ['deployment --all -l app=web main=a', 2, 'cannot set --all and --selector at the same time'],
  ])('refuses %s', async (words, exitCode, message) => {
    expect(await run(`set image ${words}`)).toEqual(failed(`error: ${message}\n`, exitCode));
  });

  it('refuses a kind without Pods', async () => {
    putObjects(storeOf(workshop), [
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x', namespace: 'default' } },
    ]);
    expect(await run('set image cm/x a=b')).toEqual(
      failed('error: the object is not a pod or does not have a pod template: *v1.ConfigMap\n'),
    );
  });
});

describe('set env', () => {
  it('sets and removes variables, in their places', async () => {
    expect(await run('set env deployment/web VERSION=three B=2 -e C=3')).toEqual(
      ok('deployment.apps/web env updated\n'),
    );
    expect(main().env).toEqual([
      { name: 'VERSION', value: 'three' },
      { name: 'C', value: '3' },
      { name: 'B', value: '2' },
    ]);
    expect(await run('set env deployment/web B- C-')).toEqual(ok('deployment.apps/web env updated\n'));
    expect(await run('set env deployment/web A=1 --list')).toEqual(
      ok('# Deployment web, container main\nVERSION=three\nA=1\n'),
    );
    expect(main().env).toEqual([{ name: 'VERSION', value: 'three' }]);
  });

  it('refers to the keys of a ConfigMap', async () => {
    const metadata = { name: 'settings', namespace: 'default' };
    putObjects(storeOf(workshop), [
      { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { 'log.level': 'x', b: 'y' } },
    ]);
    await run('set env deployment/web --from=configmap/settings --prefix=APP_ --keys=log.level');
    expect(main().env?.at(-1)).toEqual({
      name: 'APP_LOG_LEVEL',
      valueFrom: { configMapKeyRef: { name: 'settings', key: 'log.level' } },
    });
    expect((await run('set env deployment/web --list')).stdout).toBe(
      '# Deployment web, container main\nVERSION=two\n# APP_LOG_LEVEL from configmap settings, key log.level\n',
    );
    expect((await run('set env deployment/web --list --resolve')).stdout).toBe(
      '# Deployment web, container main\nVERSION=two\nAPP_LOG_LEVEL=x\n',
    );
    storeOf(workshop).delete('configmaps', 'default', 'settings');
    expect((await run('set env deployment/web --list --resolve')).stderr).toBe(
      'error retrieving reference for APP_LOG_LEVEL: configmaps "settings" not found\n',
    );
  });

  it('warns when no container has such a name', async () => {
    expect(await run('set env deployment/web A=1 -c x*')).toEqual({
      exitCode: 0,
      stdout: '',
      stderr: 'warning: Deployment/web does not have any containers matching "x*"\n',
    });
  });

  it.each([
    ['deployment/web VERSION=3 --overwrite=false', 1, "'VERSION' already has a value (two), and --overwrite is false"],
    ['deployment/web', 2, 'at least one environment variable must be provided'],
    ['deployment/web A=1 A-', 2, 'can not both modify and remove the same environment variable in the same command'],
    ['deployment/web --keys=a A=1', 2, 'when specifying --keys, a configmap or secret must be provided with --from'],
    ['deployment/web --from=deployment/web', 2, 'unsupported resource specified in --from'],
    ['deployment/web A=1 --list -o name', 2, '--list and --output may not be specified together'],
  ])('refuses %s', async (words, exitCode, message) => {
    expect(await run(`set env ${words}`)).toEqual(failed(`error: ${message}\n`, exitCode));
  });
});

describe('set resources', () => {
  it('changes the named requests and limits, and keeps the rest', async () => {
    const done = ok('deployment.apps/web resource requirements updated\n');
    expect(await run('set resources deployment/web --limits=cpu=200m,memory=512Mi')).toEqual(done);
    expect(await run('set resources deployment/web --limits=cpu=1 --requests=memory=1Mi -c main')).toEqual(done);
    expect(main().resources).toEqual({ limits: { cpu: '1', memory: '512Mi' }, requests: { memory: '1Mi' } });
  });

  it.each([
    ['deployment/web', 2, 'you must specify an update to requests or limits (in the form of --requests/--limits)'],
    ['deployment/web --limits=cpu', 2, 'Invalid argument syntax cpu, expected <resource>=<value>'],
    ['deployment/web --limits=cpu=1 -c x', 1, 'unable to find container named x'],
  ])('refuses %s', async (words, exitCode, message) => {
    expect(await run(`set resources ${words}`)).toEqual(failed(`error: ${message}\n`, exitCode));
  });
});

describe('set selector', () => {
  const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'web', namespace: 'default' } };
  const ports = [{ port: 80, protocol: 'TCP', targetPort: 80 }];
  beforeEach(() => {
    const spec = { clusterIP: 'None', clusterIPs: ['None'], type: 'ClusterIP', ports, selector: { old: 'one' } };
    putObjects(storeOf(workshop), [{ ...service, spec }]);
  });

  it('replaces the selector of a Service', async () => {
    expect(await run('set selector svc/web app=web,version==2')).toEqual(ok('service/web selector updated\n'));
    expect(await run('get svc web -o jsonpath={.spec.selector}')).toEqual(ok('{"app":"web","version":"2"}'));
  });

  it.each([
    ['svc/web app!=web', 2, '"!=" is not a valid label selector operator'],
    ['deployment/web app=web', 1, 'setting a selector is only supported for Services'],
    ['app=web', 2, 'one or more resources must be specified as <resource> <name> or <resource>/<name>'],
  ])('refuses %s', async (words, exitCode, message) => {
    expect(await run(`set selector ${words}`)).toEqual(failed(`error: ${message}\n`, exitCode));
  });
});

describe('a subresource', () => {
  it('is read with get', async () => {
    expect((await run('get deploy web --subresource=scale')).stdout).toMatch(
      /^NAME +DESIRED +AVAILABLE +AGE\nweb +\d+ +\d+ +\S+\n$/,
    );
    expect((await run('get deploy/web --subresource=scale -o name')).stdout).toBe('scale.autoscaling/web\n');
    expect((await run('get deploy/web --subresource=status -o name')).stdout).toBe('deployment.apps/web\n');
  });

  it('is changed with patch', async () => {
    const patched = await run('patch deploy web --subresource=scale -p {"spec":{"replicas":7}}');
    expect(patched).toEqual(ok('scale.autoscaling/web patched\n'));
    expect((await run('get deploy web -o jsonpath={.spec.replicas}')).stdout).toBe('7');
  });

  it.each([
    ['get deploy --subresource=scale', 2, 'error: subresource cannot be used when bulk resources are specified'],
    [
      'get ds,deploy web --subresource=log',
      1,
      'Error from server (NotFound): the server could not find the requested resource',
    ],
  ])('%s is refused', async (line, exitCode, message) => {
    expect(await run(line)).toEqual(failed(`${message}\n`, exitCode));
  });
});
