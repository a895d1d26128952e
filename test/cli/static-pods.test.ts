import { expect, it } from 'vitest';
import type { StoredEvent } from '../../src/api/objects.ts';
import { storeOf } from './prepared-store.ts';
import { podsIn, watchLines, workshopForEach } from './workshop.ts';

const workshop = workshopForEach();

const POD = `apiVersion: v1
kind: Pod
metadata: { name: web }
spec: { containers: [{ name: a, image: b, command: [sleep, '60'] }] }
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

it('apply --until ready waits for static Pods', async () => {
  workshop.folderNamed('pods');
  workshop.file('pods/web.yaml', POD);
  const { exitCode, stdout } = await workshop.run(['apply', '--static-pods', 'pods', '--until', 'ready', '-o', 'json']);
  expect(exitCode).toBe(0);
  expect(podsIn(watchLines(stdout)).some(({ metadata }) => metadata?.name?.startsWith('web-'))).toBe(true);
});

it('apply --static-pods --detach is refused', async () => {
  const { exitCode, stderr } = await workshop.run(['apply', '--static-pods', 'pods', '-d']);
  expect({ exitCode, stderr }).toEqual({
    exitCode: 2,
    stderr: expect.stringContaining('--static-pods cannot be used with --detach') as string,
  });
});
