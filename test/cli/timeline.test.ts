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

  it('draws, when no run is named, the Pods that lived at the same time as the latest', async () => {
    const store = openStore(workshop.stateDir);
    const at = (name: string, hour: number, phase: 'Running' | 'Succeeded'): void => {
      const pod = newPod(name, { phase });
      const creationTimestamp = `2026-01-15T${hour}:00:00.000000Z`;
      store.create('pods', { ...pod, metadata: { ...pod.metadata, uid: name, creationTimestamp } });
    };
    at('old', 10, 'Succeeded');
    at('long', 11, 'Running');
    at('late', 12, 'Succeeded');
    const { stdout } = await workshop.run(['timeline']);
    expect([...stdout.matchAll(/^(\w+): /gm)].map(([, name]) => name)).toEqual(['long', 'late']);
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
