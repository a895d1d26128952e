import { expect, it } from 'vitest';
import type { PodSpec } from '../../src/api/generated/types.ts';
import type { StoredEvent, StoredKubeObject } from '../../src/api/base/objects.ts';
import { storeOf } from './prepared-store.ts';
import { podsIn, watchLines, workshopForEach } from './workshop.ts';

const workshop = workshopForEach();

const SLEEP: PodSpec = { containers: [{ name: 'main', command: ['sleep', '1000'] }] };

async function node(): Promise<string> {
  const { stdout } = await workshop.run(['get', 'nodes', '-o', 'name']);
  return stdout.trim().replace('node/', '');
}

it('a cordoned node takes no new Pods until it is uncordoned', async () => {
  const name = await node();
  expect(await workshop.run(['cordon', name])).toMatchObject({ exitCode: 0, stdout: `node/${name} cordoned\n` });
  expect((await workshop.run(['cordon', `node/${name}`])).stdout).toBe(`node/${name} already cordoned\n`);
  expect((await workshop.run(['get', 'nodes'])).stdout).toContain('Ready,SchedulingDisabled');
  const podrun = workshop.begin(['apply', workshop.pod('web', { ...SLEEP, restartPolicy: 'Never' }), '-o', 'json']);
  await podrun.until(({ stdout }) => stdout.includes('1 node(s) were unschedulable'));
  expect((await workshop.run(['uncordon', name])).stdout).toBe(`node/${name} uncordoned\n`);
  await podrun.until(({ lines }) => podsIn(lines).some(({ status }) => status?.phase === 'Running'));
  podrun.signal('SIGINT');
  await podrun.ended;
});

it('labels of the node let waiting Pods in, and a taint with NoExecute ends them', async () => {
  const name = await node();
  const spec: PodSpec = { ...SLEEP, nodeSelector: { disk: 'ssd' }, terminationGracePeriodSeconds: 1 };
  const podrun = workshop.begin(['apply', workshop.pod('web', spec), '-o', 'json']);
  await podrun.until(({ stdout }) => stdout.includes("didn't match Pod's node affinity/selector"));
  expect((await workshop.run(['label', 'node', name, 'disk=ssd'])).stdout).toBe(`node/${name} labeled\n`);
  await podrun.until(({ lines }) => podsIn(lines).some(({ status }) => status?.phase === 'Running'));
  expect((await workshop.run(['taint', 'node', name, 'repair:NoExecute'])).stdout).toBe(`node/${name} tainted\n`);
  const { stdout } = await podrun.ended;
  expect(podsIn(watchLines(stdout)).at(-1)?.status?.conditions).toContainEqual(
    expect.objectContaining({ type: 'DisruptionTarget', status: 'True', reason: 'DeletionByTaintManager' }),
  );
  const evicted = storeOf(workshop)
    .list<StoredEvent>('events')
    .find(({ reason }) => reason === 'TaintManagerEviction');
  expect(evicted?.message).toBe('Marking for deletion Pod default/web');
  expect(evicted?.involvedObject).not.toHaveProperty('uid');
  expect(stdout).toContain('Marking for deletion Pod default/web');
});

it('labels, annotations and taints of the node are kept beside each other and the cordon', async () => {
  const name = await node();
  for (const words of [
    ['label', 'nodes', '--all', 'disk=ssd'],
    ['annotate', 'node', name, 'note=hi'],
    ['taint', `node/${name}`, 'a=b:NoSchedule', 'c:PreferNoSchedule'],
    ['cordon', name],
    ['taint', 'node', name, 'c-', 'a=d:NoSchedule', '--overwrite'],
    ['uncordon', name],
  ])
    expect(await workshop.run(words)).toMatchObject({ exitCode: 0, stderr: '' });
  const { stdout } = await workshop.run(['get', 'node', name, '-o', 'json']);
  const { metadata, spec } = JSON.parse(stdout) as StoredKubeObject;
  expect(metadata).toMatchObject({
    labels: { disk: 'ssd', 'kubernetes.io/hostname': name },
    annotations: { note: 'hi' },
  });
  expect(spec).toEqual({ taints: [{ key: 'a', value: 'd', effect: 'NoSchedule' }] });
  expect(await workshop.run(['label', 'node', name, 'kubernetes.io/hostname=other'])).toMatchObject({
    exitCode: 1,
    stderr: `error: 'kubernetes.io/hostname' already has a value (${name}), and --overwrite is false\n`,
  });
});

it.each([
  [['pods', 'web', 'a=b:NoSchedule'], 'invalid resource type pods, only ["node" "nodes"] are supported'],
  [['node', 'NODE'], 'at least one taint update is required'],
  [['node', 'NODE', 'a=b:NoSchedule:x'], 'invalid taint spec: a=b:NoSchedule:x'],
  [['node', 'NODE', 'a:Never'], 'invalid taint effect: Never, unsupported taint effect'],
  [['node', 'NODE', 'a-'], 'taint "a" not found'],
  [['node', 'a:NoSchedule'], "at least one resource name must be specified since 'all' parameter is not set"],
])('taint %j is refused as by kubectl', async (words, message) => {
  const name = await node();
  const { exitCode, stderr } = await workshop.run(['taint', ...words.map((word) => word.replace('NODE', name))]);
  expect(exitCode).toBeGreaterThan(0);
  expect(stderr).toContain(`error: ${message}\n`);
});

it('drain evicts the Pods that it may, and names the reasons for the rest', async () => {
  const name = await node();
  const volumes = [{ name: 'v', emptyDir: {} }];
  const podrun = workshop.begin(['apply', workshop.pod('web', { ...SLEEP, volumes }), '-o', 'json']);
  await podrun.until(({ lines }) => podsIn(lines).some(({ status }) => status?.phase === 'Running'));
  expect(await workshop.run(['drain', name])).toEqual({
    exitCode: 1,
    stdout: `node/${name} cordoned\n`,
    stderr:
      `error: unable to drain node "${name}": ` +
      'cannot delete Pods that declare no controller (use --force to override): default/web, ' +
      'cannot delete Pods with local storage (use --delete-emptydir-data to override): default/web\n' +
      'The node stays cordoned: podrun uncordon lets it take Pods again.\n',
  });
  expect(await workshop.run(['drain', name, '--force', '--delete-emptydir-data', '--grace-period', '1'])).toEqual({
    exitCode: 0,
    stdout: `node/${name} already cordoned\nevicting pod default/web\npod/web evicted\nnode/${name} drained\n`,
    stderr: 'Warning: deleting Pods that declare no controller: default/web\n',
  });
  const { stdout } = await podrun.ended;
  expect(podsIn(watchLines(stdout)).at(-1)?.status?.conditions).toContainEqual(
    expect.objectContaining({ type: 'DisruptionTarget', status: 'True', reason: 'EvictionByEvictionAPI' }),
  );
});

it('drain waits as long as a PodDisruptionBudget forbids an eviction', async () => {
  const name = await node();
  const budget = { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata: { name: 'b' } };
  const spec = { minAvailable: 1, selector: {} };
  const file = workshop.file('budget.json', JSON.stringify({ ...budget, spec }));
  const podrun = workshop.begin(['apply', file, workshop.pod('web', SLEEP), '-o', 'json']);
  await podrun.until(({ lines }) =>
    podsIn(lines).some(({ status }) =>
      status?.conditions?.some((each) => each.type === 'Ready' && each.status === 'True'),
    ),
  );
  const { exitCode, stderr } = await workshop.run(['drain', name, '--force', '--timeout', '100ms']);
  expect(exitCode).toBe(124);
  expect(stderr).toContain(
    'error when evicting pods/"web" -n "default" (will retry after 5s): Cannot evict pod as it would violate the ' +
      "pod's disruption budget. The disruption budget b needs 1 healthy pods and has 1 currently.",
  );
  podrun.signal('SIGINT');
  await podrun.ended;
});

it('knows no other node', async () => {
  expect(await workshop.run(['cordon', 'other'])).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('Error from server (NotFound): nodes "other" not found\n') as string,
  });
  expect(await workshop.run(['drain'])).toMatchObject({ exitCode: 2 });
});
