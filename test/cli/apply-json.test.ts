import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import type { ContainerStatus } from '../../src/api/generated/types.ts';
import { podsIn, watchLines, type WatchLine, workshopForEach } from './workshop.ts';

const workshop = workshopForEach();

async function stream(name: string, command: string[], flags: string[] = []): Promise<WatchLine[]> {
  const manifest = workshop.pod(name, { restartPolicy: 'Never', containers: [{ name: 'main', command }] });
  const { stdout } = await workshop.run(['apply', manifest, '-o', 'json', ...flags]);
  return watchLines(stdout);
}

describe('the JSON stream', () => {
  it('contains only watch events, whatever the container prints', async () => {
    const lines = await stream('noisy', ['sh', '-c', 'echo "{}"; echo plain text; echo error >&2']);
    expect(lines.map(({ type }) => type)).toSatisfy((types: string[]) =>
      types.every((type) => type === 'ADDED' || type === 'MODIFIED'),
    );
    const kinds = new Set(lines.map(({ object }) => `${object.apiVersion} ${object.kind}`));
    expect(kinds).toEqual(new Set(['v1 Pod', 'v1 Event']));
  });

  it('shows each state of a container that lived for a millisecond', async () => {
    const statuses = podsIn(await stream('short', ['true'])).flatMap((pod) => pod.status?.containerStatuses ?? []);
    const states = statuses.map(({ state }: ContainerStatus) => Object.keys(state ?? {})[0]);
    expect(states.filter((state, index) => state !== states[index - 1])).toEqual(['waiting', 'running', 'terminated']);
  });

  it('has claims of the Pods with their volumes, and each object as ADDED once', async () => {
    const request = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Mi' } } };
    const template = {
      metadata: { labels: { app: 'db' } },
      spec: {
        terminationGracePeriodSeconds: 0,
        containers: [
          {
            name: 'main',
            image: 'busybox',
            command: ['sleep', '1000'],
            volumeMounts: [{ name: 'data', mountPath: '/data' }],
          },
        ],
      },
    };
    const set = {
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      metadata: { name: 'db' },
      spec: {
        selector: { matchLabels: { app: 'db' } },
        serviceName: 'db',
        template,
        volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: request }],
      },
    };
    const service = {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'db' },
      spec: { clusterIP: 'None', selector: { app: 'db' }, ports: [{ port: 80 }] },
    };
    const manifest = workshop.file('db.yaml', `${stringify(service)}---\n${stringify(set)}`);
    const args = ['apply', manifest, '-o', 'json', '--network', 'host', '--until', 'ready', '--settle', '0'];
    const lines = watchLines((await workshop.run(args)).stdout);
    const added = lines.filter(({ type, object }) => type === 'ADDED' && object.kind !== 'Event');
    expect(
      added.map(({ object }) => `${object.kind} ${object.metadata?.name}`.replace(/-\w{8}-.*/, '')).toSorted(),
    ).toEqual(
      expect.arrayContaining(['PersistentVolume pvc', 'PersistentVolumeClaim data-db-0', 'Pod db-0', 'Service db']),
    );
    expect(new Set(added.map(({ object }) => object.metadata?.uid)).size).toBe(added.length);
    const claims = lines.flatMap(({ object }) => (object.kind === 'PersistentVolumeClaim' ? [object] : []));
    expect(claims.at(-1)).toMatchObject({ status: { phase: 'Bound' } });
  });

  it('begins with ADDED, ends with MODIFIED, and its resource versions only grow', async () => {
    const lines = (await stream('ordered', ['true'])).filter(({ object }) => object.kind === 'Pod');
    expect(lines[0]?.type).toBe('ADDED');
    expect(lines.at(-1)?.type).toBe('MODIFIED');
    const versions = lines.map(({ object }) => Number(object.metadata?.resourceVersion));
    expect(versions).toEqual(versions.toSorted((a, b) => a - b));
    expect(new Set(versions).size).toBe(versions.length);
  });

  it('writes every time with six digits of a second', async () => {
    const text = JSON.stringify(await stream('timed', ['true']));
    const times = text.match(/"\d{4}-\d\d-\d\dT[^"]*"/g) ?? [];
    expect(times.length).toBeGreaterThan(10);
    expect(times.filter((time) => !/T\d\d:\d\d:\d\d\.\d{6}Z"$/.test(time))).toEqual([]);
  });

  it('of a deletion ends with DELETED', async () => {
    const manifest = workshop.pod('removed', {
      terminationGracePeriodSeconds: 1,
      containers: [{ name: 'main', command: ['sleep', '600'] }],
    });
    const podrun = workshop.begin(['apply', manifest, '-o', 'json']);
    await podrun.until(({ lines }) => podsIn(lines).at(-1)?.status?.phase === 'Running');
    expect(await workshop.run(['delete', 'pod', 'removed'])).toMatchObject({ exitCode: 0 });
    const { exitCode, stdout } = await podrun.ended;
    expect(exitCode).toBe(1);
    expect(watchLines(stdout).findLast(({ object }) => object.kind === 'Pod')?.type).toBe('DELETED');
    expect((await workshop.run(['get', 'pod', 'removed'])).stderr).toContain('pods "removed" not found');
  });
});
