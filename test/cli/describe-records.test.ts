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

  it('the kinds that podrun only stores, and sources of volumes, as kubectl prints them', async () => {
    const names = ['csr/csr1', 'csinode/n1', 'pv/pviscsi', 'pv/pvcsi2', 'pv/pvflex', 'pv/pvaf', 'pv/pvfc'];
    const { exitCode, stdout } = await workshop.run(
      ['describe', ...names, '--from', described('stored-kinds.json')],
      GOLDEN_ENV,
    );
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: readFileSync(described('stored-kinds.txt'), 'utf8') });
  });

  // kubectl v1.32 asks for older versions of these. Source: kubectl/pkg/describe/describe.go of v1.36.
  it('the kinds that kubectl v1.36 has a form for', async () => {
    const names = ['servicecidr/more', 'ipaddress/192.0.2.9', 'vac/gold'];
    const { stdout } = await workshop.run(['describe', ...names, '--from', described('stored-kinds.json')], GOLDEN_ENV);
    expect(stdout).toBe(`\
Name:         more
Labels:       a=b
Annotations:  <none>
CIDRs:        192.0.2.0/24, 2001:db8::/64
Status:
Conditions:
  Type    Status  LastTransitionTime                Reason  Message
  ----    ------  ------------------                ------  -------
  Ready   True    Thu, 15 Jan 2026 11:00:00 +0000           Kubernetes Service CIDR is ready
Events:   <none>


Name:         192.0.2.9
Labels:       a=b
Annotations:  <none>
Parent Reference:
  Group:      ${''}
  Resource:   services
  Namespace:  default
  Name:       web
Events:       <none>


Name:         gold
Annotations:  x=yy
DriverName:   d.example.com
Parameters:   iops=1,throughput=2
Events:       <none>
`);
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
