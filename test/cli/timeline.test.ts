import { describe, expect, it } from 'vitest';
import { newPod } from '../store/objects.ts';
import { openStore } from '../store/temporary-store.ts';
import { workshopForEach } from './workshop.ts';

const workshop = workshopForEach();

describe('timeline', () => {
  it('draws a run with its hooks and probes, and an earlier one', async () => {
    const sh = (script: string): { exec: { command: string[] } } => ({ exec: { command: ['sh', '-c', script] } });
    const manifest = workshop.pod('web', {
      restartPolicy: 'Never',
      containers: [
        {
          name: 'main',
          image: 'busybox',
          command: ['sh', '-c', 'sleep 30'],
          lifecycle: { postStart: sh('true') },
          readinessProbe: { ...sh('true'), periodSeconds: 1 },
        },
      ],
    });
    for (const _ of [1, 2]) {
      const { exitCode } = await workshop.run(['apply', manifest, '--until', 'ready']);
      expect(exitCode).toBe(0);
    }
    const now = await workshop.run(['timeline', 'web']);
    expect(now).toMatchObject({ exitCode: 0, stderr: '' });
    const rows = now.stdout.split('\n').map((line) => line.trim().split(' ')[0]);
    expect(rows).toEqual(expect.arrayContaining(['web', 'conditions', 'main', 'postStart', 'readiness']));
    expect(now.stdout).toMatch(/^web: Ready after .*, (Failed|Succeeded) after /);
    expect(now.stdout).toContain('web was Ready after');
    const plain = await workshop.run(['timeline', 'web', 'web@1'], { LC_ALL: 'C' });
    expect(plain.stdout.match(/^web: Ready after/gm)).toHaveLength(2);
    expect(plain.stdout).toMatch(/^[\n -~]*$/);
    expect((await workshop.run(['timeline'])).stdout).toBe(now.stdout);
    const json = await workshop.run(['timeline', 'web@1', '-o', 'json']);
    expect(JSON.parse(json.stdout)).toMatchObject({ run: 'web@1', name: 'web', criticalPath: { isReady: true } });
    const trace = await workshop.run(['timeline', 'web', '-o', 'trace']);
    expect(JSON.parse(trace.stdout)).toHaveProperty('traceEvents');
    const page = await workshop.run(['timeline', 'web', 'web@1', '-o', 'html']);
    expect(page.stdout).toMatch(/^<!doctype html>[^]*<h1>web, web@1<\/h1>[^]*<\/html>\n$/);
  });

  it('draws, when no run is named, the Pods that lived together with the latest, and those they replaced', async () => {
    const store = openStore(workshop.stateDir);
    const at = (name: string, hour: number, phase: 'Running' | 'Succeeded'): void => {
      const pod = newPod(name, { phase });
      const creationTimestamp = `2026-01-15T${hour}:00:00.000000Z`;
      store.create('pods', { ...pod, metadata: { ...pod.metadata, uid: name, creationTimestamp } });
    };
    at('old', 10, 'Succeeded');
    at('long', 11, 'Running');
    at('late', 12, 'Succeeded');
    const names = async (): Promise<unknown> =>
      [...(await workshop.run(['timeline'])).stdout.matchAll(/^(\w+): /gm)].map(([, name]) => name);
    expect(await names()).toEqual(['long', 'late']);
    const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'r', uid: 'r', controller: true };
    for (const [name, ownerReferences] of Object.entries({ replaced: [owner], forgotten: [] })) {
      const pod = newPod(name, { phase: 'Running' });
      const creationTimestamp = '2026-01-15T11:30:00.000000Z';
      store.create('pods', { ...pod, metadata: { ...pod.metadata, uid: name, creationTimestamp, ownerReferences } });
      store.delete('pods', 'default', name);
    }
    expect(await names()).toEqual(['long', 'replaced', 'late']);
  });

  it('draws the Pods of a workload together, below the number of Ready Pods', async () => {
    const store = openStore(workshop.stateDir);
    const made = (kind: string, name: string, owner?: { kind: string; name: string }): void => {
      const controller = owner && { apiVersion: 'apps/v1', ...owner, uid: owner.name, controller: true };
      const ownerReferences = controller && [controller];
      const { metadata, ...pod } = newPod(name, { phase: 'Running' });
      const object = kind === 'Pod' ? pod : { apiVersion: 'apps/v1', kind, spec: {} };
      store.create(kind === 'Pod' ? 'pods' : `${kind.toLowerCase()}s`, {
        ...object,
        metadata: { ...metadata, uid: name, ...(ownerReferences === undefined ? {} : { ownerReferences }) },
      });
    };
    made('Deployment', 'web');
    made('ReplicaSet', 'web-1', { kind: 'Deployment', name: 'web' });
    made('Pod', 'web-1-a', { kind: 'ReplicaSet', name: 'web-1' });
    made('Pod', 'lone');
    made('Pod', 'web-1-b', { kind: 'ReplicaSet', name: 'web-1' });
    const { stdout } = await workshop.run(['timeline', 'deploy/web', 'lone'], { LC_ALL: 'C' });
    const rows = [...stdout.matchAll(/^([a-z][\w/-]+) {2,}\S/gm)].map(([, label]) => label);
    expect(rows).toEqual(['deployment/web', 'web-1-a', 'web-1-b', 'lone']);
    expect(stdout).toContain('0-9 the number of Ready Pods of a workload');
    const json = await workshop.run(['timeline', 'rs/web-1', '-o', 'json']);
    expect(json.stdout.match(/"workload":"deployment\/web"/g)).toHaveLength(2);
    const page = await workshop.run(['timeline', 'deployment/web', '-o', 'html']);
    expect(page.stdout).toMatch(/<div class="label workload"><span[^>]*>deployment\/web<\/span><small>2 Pods</);
    const none = await workshop.run(['timeline', 'job/web']);
    expect(none).toMatchObject({ exitCode: 1, stderr: 'error: no Pods of job "web" are on record\n' });
  });

  it.each([
    [['nope'], 1, 'Error from server (NotFound): pods "nope" not found'],
    [['web@7'], 1, 'error: there is no run web@7'],
    [['svc/web'], 2, 'error: podrun timeline draws Pods and workloads only, not services'],
  ])('refuses %j', async (words, exitCode, message) => {
    openStore(workshop.stateDir).create('pods', newPod('web', { phase: 'Running' }));
    const refused = await workshop.run(['timeline', ...words]);
    expect(refused).toMatchObject({ exitCode, stdout: '' });
    expect(refused.stderr.split('\n')[0]).toBe(message);
  });

  it('reports that there are no recorded runs', async () => {
    const none = await workshop.run(['timeline']);
    expect(none).toEqual({ exitCode: 0, stdout: '', stderr: 'No runs found in default namespace.\n' });
  });
});
