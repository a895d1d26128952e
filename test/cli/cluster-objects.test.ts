import { hostname } from 'node:os';
import { expect, it } from 'vitest';
import type { PersistentVolumeClaim } from '../../src/api/generated/types.ts';
import type { StoredPod } from '../../src/api/base/objects.ts';
import { storeOf } from './prepared-store.ts';
import { workshopForEach } from './workshop.ts';

const workshop = workshopForEach();
const run = async (line: string): Promise<string> => (await workshop.run(line.split(' '))).stdout;
const node = hostname().trim().toLowerCase();

it('the namespaces are default and those with objects', async () => {
  expect(await run('get ns')).toMatch(/^NAME {6}STATUS {3}AGE\ndefault {3}Active {3}\S+\n$/);
  const containers = [{ name: 'main', image: 'busybox' }];
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web', namespace: 'test' }, spec: { containers } };
  storeOf(workshop).create<StoredPod>('pods', pod as StoredPod);
  expect(await run('get namespaces -o name')).toBe('namespace/default\nnamespace/test\n');
  expect(await run('get namespace test -o jsonpath={.status.phase}')).toBe('Active');
  expect(await run('describe ns test')).toMatch(/^Name: +test\nLabels: +kubernetes\.io\/metadata\.name=test\n/);
});

it('the node is this machine', async () => {
  const [heading, row] = (await run('get nodes')).split('\n');
  expect(heading).toMatch(/^NAME +STATUS +ROLES +AGE +VERSION$/);
  expect(row).toMatch(/ Ready {4}<none> +\S+ +v1\.36\.\d+$/);
  expect((await run('get no -o wide')).split('\n')[0]).toMatch(
    /VERSION +INTERNAL-IP +EXTERNAL-IP +OS-IMAGE +KERNEL-VERSION +CONTAINER-RUNTIME$/,
  );
  expect(await run(`get node ${node} -o jsonpath={.metadata.name}`)).toBe(node);
  expect(await run('describe node')).toMatch(
    new RegExp(`^Name: +${node}\nRoles: +<none>\n[^]*\nNon-terminated Pods: +\\(0 in total\\)\n[^]*Events: +<none>\n$`),
  );
  const { exitCode, stderr } = await workshop.run(['get', 'node', 'elsewhere']);
  expect({ exitCode, stderr }).toEqual({
    exitCode: 1,
    stderr: 'Error from server (NotFound): nodes "elsewhere" not found\n',
  });
});

it('objects without a namespace show none', async () => {
  const file = workshop.file('ns.yaml', 'apiVersion: v1\nkind: Namespace\nmetadata: {name: test}\n');
  await workshop.run(['apply', file]);
  expect(await run('get namespace test -o jsonpath={.metadata}')).not.toContain('"namespace"');
  const tables = (await run('get ns,nodes -A')).split('\n\n');
  expect(tables.map((table) => table.split(/ +/)[0])).toEqual(['NAME', 'NAME']);
});

it('the priority classes of the system exist, also when they are not stored', async () => {
  const file = workshop.file(
    'class.yaml',
    'apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: high}\nvalue: 1000\n',
  );
  await workshop.run(['apply', file]);
  expect(await run('get pc --no-headers')).toMatch(
    /^high +1000 .*\nsystem-cluster-critical +2000000000 .*\nsystem-node-critical +2000001000 .*\n$/,
  );
  expect(await run('describe pc system-node-critical')).toMatch(/^Value: +2000001000\n/m);
});

it('a claim is bound at once, to a volume with what it asks for', async () => {
  const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
  const claim = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'data' }, spec };
  expect(await run(`apply -f ${workshop.file('claim.yaml', JSON.stringify(claim))}`)).toBe(
    'persistentvolumeclaim/data created\n',
  );
  const { metadata, spec: stored, status } = JSON.parse(await run('get pvc data -o json')) as PersistentVolumeClaim;
  expect(stored?.volumeName).toBe(`pvc-${metadata?.uid}`);
  expect(status).toEqual({ phase: 'Bound', accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' } });
});

it('the objects that every cluster has can be changed', async () => {
  const pullSecrets = JSON.stringify({ imagePullSecrets: [{ name: 'registry' }] });
  const patch = ['patch', 'sa', 'default', '-p', pullSecrets];
  expect((await workshop.run(patch)).stdout).toBe('serviceaccount/default patched\n');
  expect(await run('describe sa default')).toMatch(/Image pull secrets: +registry/);
  expect(await run('label ns default team=a')).toBe('namespace/default labeled\n');
  expect(await run('get ns -l team=a -o name')).toBe('namespace/default\n');
  expect(await run('delete sa default')).toBe('serviceaccount "default" deleted from default namespace\n');
  expect(await run('get sa -o name')).toBe('serviceaccount/default\n');
});
