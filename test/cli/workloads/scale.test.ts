import { expect, it } from 'vitest';
import type { DeploymentSpec } from '../../../src/api/generated/types.ts';
import type { StoredKubeObject } from '../../../src/api/base/objects.ts';
import { runHere } from '../in-process.ts';
import { storeOf } from '../prepared-store.ts';
import { workshopForEach } from '../workshop.ts';
import { putWorkloads } from './golden-workloads.ts';

const workshop = workshopForEach();

const run = (line: string) => runHere(workshop, line.split(' '));
const web = () =>
  storeOf(workshop).get<StoredKubeObject>('deployments', 'default', 'web') as StoredKubeObject & {
    spec: DeploymentSpec;
  };
const ok = (stdout: string) => ({ exitCode: 0, stdout, stderr: '' });
const failed = (stderr: string, exitCode = 1) => ({ exitCode, stdout: '', stderr });

it('sets the replicas, which is a new generation', async () => {
  putWorkloads(workshop, 'deployment-updated');
  const { generation = 0 } = web().metadata;
  expect(await run('scale deployment/web --replicas=5')).toEqual(ok('deployment.apps/web scaled\n'));
  expect({ replicas: web().spec.replicas, generation: web().metadata.generation }).toEqual({
    replicas: 5,
    generation: generation + 1,
  });
});

it('scales all objects of a selection', async () => {
  putWorkloads(workshop, 'everything');
  expect(await run('scale deploy,sts --all --replicas=0')).toEqual(
    ok('deployment.apps/web scaled\nstatefulset.apps/db scaled\n'),
  );
  expect(await run('scale deploy -l app=nosuch --replicas=0')).toEqual(failed('error: no objects passed to scale\n'));
});

it('checks what the user expects', async () => {
  putWorkloads(workshop, 'deployment-updated');
  expect(await run('scale deployment/web --current-replicas=5 --replicas=3')).toEqual(
    failed('error: Expected replicas to be 5, was 2\n'),
  );
  expect(await run('scale deployment/web --resource-version=x --replicas=3')).toEqual(
    failed(`error: Expected resource version to be x, was ${web().metadata.resourceVersion}\n`),
  );
  expect(await run('scale deployment/web --current-replicas=2 --replicas=3 --dry-run=server')).toEqual(
    ok('deployment.apps/web scaled (server dry run)\n'),
  );
  expect(web().spec.replicas).toBe(2);
});

it.each([
  ['job/migrate --replicas=3', 1, 'Error from server (NotFound): the server could not find the requested resource\n'],
  ['deployment/nosuch --replicas=3', 1, 'Error from server (NotFound): deployments.apps "nosuch" not found\n'],
  ['deployment/web', 2, 'error: The --replicas=COUNT flag is required, and COUNT must be greater than or equal to 0\n'],
  ['deployment --replicas=1', 2, 'error: resource(s) were provided, but no name was specified\n'],
  [
    'deployment/web statefulset/db --replicas=1 --resource-version=7',
    2,
    'error: cannot use --resource-version with multiple resources\n',
  ],
])('refuses %s', async (words, exitCode, stderr) => {
  putWorkloads(workshop, 'everything');
  expect(await run(`scale ${words}`)).toEqual(failed(stderr, exitCode));
});

it('waits with --timeout for the replicas', async () => {
  putWorkloads(workshop, 'deployment-updated');
  expect(await run('scale deployment/web --replicas=2 --timeout=10ms')).toEqual(ok('deployment.apps/web scaled\n'));
  expect(await run('scale deployment/web --replicas=5 --timeout=10ms')).toEqual({
    exitCode: 1,
    stdout: 'deployment.apps/web scaled\n',
    stderr: 'error: timed out waiting for "web" to be synced\n',
  });
});
