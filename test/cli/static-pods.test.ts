import { rmSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import type { StoredEvent, StoredPod } from '../../src/api/base/objects.ts';
import { storeOf } from './prepared-store.ts';
import { podsIn, type WatchLine, watchLines, workshopForEach } from './workshop.ts';

const workshop = workshopForEach();

const POD = `apiVersion: v1
kind: Pod
metadata: { name: web }
spec: { containers: [{ name: a, image: b, command: [sleep, '1000'] }] }
`;

it('apply --static-pods runs the Pods of a folder, also without a manifest, until it is interrupted', async () => {
  workshop.folderNamed('pods');
  workshop.file('pods/web.yaml', POD);
  workshop.file('pods/wrong.yaml', 'kind: Pod');
  const podrun = workshop.start(['apply', '--static-pods', 'pods', '-o', 'json']);
  await podrun.until(({ lines }) => podsIn(lines).some(({ status }) => status?.phase === 'Running'));
  const problems = storeOf(workshop)
    .list<StoredEvent>('events')
    .filter(({ reason }) => reason === 'InvalidStaticPod');
  expect(problems).toMatchObject([{ involvedObject: { kind: 'Node' } }]);
  podrun.signal('SIGINT');
  const { exitCode, stderr } = await podrun.ended;
  expect(exitCode).toBe(130);
  expect(stderr).toContain('apiVersion not set');
});

/** The uids of the Pods that appeared and vanished, in order. */
function comings(lines: readonly WatchLine[]): string[] {
  const changes = lines.filter(({ type, object }) => type !== 'MODIFIED' && object.kind === 'Pod');
  return changes.map(({ type, object }) => `${type} ${object.metadata?.uid}`);
}

it('a deleted mirror Pod is created again, and its static Pod runs until its file is gone', async () => {
  workshop.folderNamed('pods');
  workshop.file('pods/web.yaml', POD);
  const podrun = workshop.start(['apply', '--static-pods', 'pods', '-o', 'json']);
  await podrun.until(({ lines }) => podsIn(lines).some(({ status }) => status?.phase === 'Running'));
  const [before] = storeOf(workshop).list<StoredPod>('pods');
  const { name = '', uid } = before?.metadata ?? {};
  const deletion = await workshop.run(['delete', 'pod', name, '--force']);
  expect(deletion).toMatchObject({ exitCode: 0, stdout: `pod "${name}" force deleted from default namespace\n` });
  expect(deletion.stderr).toContain(`pod/${name} is back: only the removal of its file ends a static Pod\n`);
  const [after] = storeOf(workshop).list<StoredPod>('pods');
  expect(after?.metadata).toMatchObject({ name, generation: 1 });
  expect(after?.metadata.uid).not.toBe(uid);
  expect(after?.metadata.deletionTimestamp).toBeUndefined();
  expect(after?.status).toEqual(before?.status);
  const renewal = [`ADDED ${uid}`, `DELETED ${uid}`, `ADDED ${after?.metadata.uid}`];
  await podrun.until(({ lines }) => comings(lines).length === renewal.length);
  rmSync(path.join(workshop.folder, 'pods/web.yaml'));
  await podrun.until(({ lines }) => comings(lines).length > renewal.length);
  expect(comings(podrun.lines)).toEqual([...renewal, `DELETED ${after?.metadata.uid}`]);
  podrun.signal('SIGINT');
  expect(await podrun.ended).toMatchObject({ exitCode: 130, stderr: '' });
});

it('apply --until ready waits for static Pods', async () => {
  workshop.folderNamed('pods');
  workshop.file('pods/web.yaml', POD);
  const { exitCode, stdout } = await workshop.run(['apply', '--static-pods', 'pods', '--until', 'ready', '-o', 'json']);
  expect(exitCode).toBe(0);
  expect(podsIn(watchLines(stdout)).some(({ metadata }) => metadata?.name?.startsWith('web-'))).toBe(true);
});

it('of several nodes, each runs the static Pods of the folder of its name', async () => {
  workshop.folderNamed('pods');
  workshop.folderNamed('pods/node-2');
  workshop.file('pods/web.yaml', POD);
  workshop.file('pods/node-2/web.yaml', POD);
  const podrun = workshop.start(['apply', '--static-pods', 'pods', '--nodes', '2', '-o', 'json']);
  const running = (): Set<string | undefined> =>
    new Set(
      podsIn(podrun.lines).flatMap(({ metadata, status }) => (status?.phase === 'Running' ? metadata?.name : [])),
    );
  await podrun.until(() => running().size === 2);
  const pods = storeOf(workshop).list<StoredPod>('pods');
  expect(pods.map(({ metadata, spec }) => `${metadata.name} on ${spec.nodeName}`).toSorted()).toEqual([
    'web-node-1 on node-1',
    'web-node-2 on node-2',
  ]);
  rmSync(path.join(workshop.folder, 'pods/node-2/web.yaml'));
  await podrun.until(({ lines }) => comings(lines).length === 3);
  expect(
    storeOf(workshop)
      .list<StoredPod>('pods')
      .map(({ metadata }) => metadata.name),
  ).toEqual(['web-node-1']);
  podrun.signal('SIGINT');
  await podrun.ended;
});

it('apply --static-pods --detach is refused', async () => {
  const { exitCode, stderr } = await workshop.run(['apply', '--static-pods', 'pods', '-d']);
  expect({ exitCode, stderr }).toEqual({
    exitCode: 2,
    stderr: expect.stringContaining('--static-pods cannot be used with --detach') as string,
  });
});
