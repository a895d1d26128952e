import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { GOLDEN_ENV, storeOf } from './prepared-store.ts';
import { newPod, withPhase } from '../store/objects.ts';
import { workshopForEach } from './workshop.ts';

const workshop = workshopForEach();

/** The output of kubectl v1.32.4 for these objects, from a server without other objects. */
const described = (file: string): string => fileURLToPath(new URL(`described/${file}`, import.meta.url));

describe('describe of stored objects:', () => {
  it.each([
    'service/web',
    'configmap/settings',
    'secret/token',
    'persistentvolumeclaim/data',
    'serviceaccount/robot',
    'namespace/other',
  ])('%s as kubectl prints it', async (name) => {
    const { exitCode, stdout } = await workshop.run(
      ['describe', name, '--from', described('objects.yaml')],
      GOLDEN_ENV,
    );
    const recorded = readFileSync(described(`${name.split('/')[0]}.txt`), 'utf8');
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: recorded });
  });

  it('claims have the columns that kubectl shows', async () => {
    const { stdout } = await workshop.run(['get', 'pvc', '--from', described('objects.yaml')], GOLDEN_ENV);
    expect(stdout).toBe(
      'NAME   STATUS   VOLUME   CAPACITY   ACCESS MODES   STORAGECLASS   VOLUMEATTRIBUTESCLASS   AGE\n' +
        'data   Bound    vol      1Gi        RWO,RWX        fast           <unset>                 60m\n',
    );
  });

  it('names the users of a claim and the endpoints of a Service, and never a value of a Secret', async () => {
    const store = storeOf(workshop);
    const named = withPhase(newPod('api'), 'Running');
    store.create('pods', {
      ...named,
      metadata: { ...named.metadata, labels: { app: 'web' } },
      spec: { ...named.spec, volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }] },
      status: { ...named.status, podIP: '127.1.2.3', conditions: [{ type: 'Ready', status: 'True' }] },
    });
    const file = workshop.file(
      'records.yaml',
      `
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
---
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {selector: {app: web}, ports: [{port: 80, targetPort: 8080}]}
---
apiVersion: v1
kind: Secret
metadata: {name: token, annotations: {kubernetes.io/service-account.name: robot}}
type: kubernetes.io/service-account-token
stringData: {token: geheim}
`,
    );
    await workshop.run(['apply', file]);
    const { stdout } = await workshop.run(['describe', 'pvc/data', 'svc/web', 'secret/token']);
    expect(stdout).toMatch(/^Used By: +api$/m);
    expect(stdout).toMatch(/^Endpoints: +127\.1\.2\.3:8080$/m);
    expect(stdout).toMatch(/^token: +6 bytes$/m);
    expect(stdout).not.toContain('geheim');
    expect(stdout).not.toContain(Buffer.from('geheim').toString('base64'));
  });
});
