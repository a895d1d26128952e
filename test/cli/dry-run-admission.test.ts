import { describe, expect, it } from 'vitest';
import { runHere } from './in-process.ts';
import { storeOf } from './prepared-store.ts';
import { workshopForEach } from './workshop.ts';

const workshop = workshopForEach();
const run = (line: string) => runHere(workshop, line.split(' '));

const QUOTA = `
apiVersion: v1
kind: ResourceQuota
metadata: { name: none }
spec: { hard: { pods: '0', configmaps: '1' } }
`;
const MAP = `
apiVersion: v1
kind: ConfigMap
metadata: { name: a }
`;
const POD = `
apiVersion: v1
kind: Pod
metadata: { name: one }
spec: { containers: [{ name: main, image: busybox }] }
`;
const PRIORITY = `
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: { name: high }
value: 1000
globalDefault: true
`;
const FORBIDDEN =
  'Error from server (Forbidden): pods "one" is forbidden: exceeded quota: none, requested: pods=1, used: pods=0, ' +
  'limited: pods=0\n';

describe('--dry-run=server admits a new object as its creation would', () => {
  it.each(['apply', 'create'])('%s reports what a quota forbids', async (verb) => {
    const quota = workshop.file('quota.yaml', QUOTA);
    const both = workshop.file('both.yaml', `${MAP}---${POD}`);
    await run(`create -f ${quota}`);
    const [stdout, stderr] = ['configmap/a created (server dry run)\n', FORBIDDEN];
    expect(await run(`${verb} -f ${both} --dry-run=server`)).toEqual({ exitCode: 1, stdout, stderr });
    expect(await run(`${verb} -f ${both} --dry-run=server -o yaml`)).toMatchObject({ exitCode: 1, stderr });
    expect(await run(`${verb} -f ${both} --dry-run=client`)).toMatchObject({ exitCode: 0, stderr: '' });
    expect(storeOf(workshop).list('configmaps')).toEqual([]);
  });

  it('run reports it, too', async () => {
    await run(`create -f ${workshop.file('quota.yaml', QUOTA)}`);
    const outcome = await run('run one --image=busybox --dry-run=server');
    expect(outcome).toEqual({ exitCode: 1, stdout: '', stderr: FORBIDDEN });
  });

  it('the printed object has what admission adds', async () => {
    await run(`create -f ${workshop.file('class.yaml', PRIORITY)}`);
    const file = workshop.file('pod.yaml', POD);
    for (const verb of ['apply', 'create'])
      expect((await run(`${verb} -f ${file} --dry-run=server -o jsonpath={.spec.priority}`)).stdout).toBe('1000');
  });
});
