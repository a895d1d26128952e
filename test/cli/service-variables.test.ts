import { expect, it } from 'vitest';
import { workshopForEach } from './workshop.ts';

const workshop = workshopForEach();

const SERVICE = `
apiVersion: v1
kind: Service
metadata: {name: my-db}
spec:
  clusterIP: 10.96.0.11
  ports: [{port: 5432}]
`;

const POD = (name: string, links: boolean) => `---
apiVersion: v1
kind: Pod
metadata: {name: ${name}}
spec:
  restartPolicy: Never
  enableServiceLinks: ${links}
  containers:
  - name: main
    image: busybox
    command: [sh, -c, 'echo "${name} $URL \${MY_DB_PORT:-none}"']
    env: [{name: URL, value: 'db://$(MY_DB_SERVICE_HOST):$(MY_DB_SERVICE_PORT)'}]
`;

it('containers have variables of stored Services with an address, unless enableServiceLinks is false', async () => {
  const manifest = workshop.file('services.yaml', SERVICE + POD('linked', true) + POD('unlinked', false));
  const { stdout, exitCode } = await workshop.run(['apply', manifest]);
  expect(stdout).toContain('linked db://127.96.0.11:5432 tcp://127.96.0.11:5432');
  expect(stdout).toContain('unlinked db://$(MY_DB_SERVICE_HOST):$(MY_DB_SERVICE_PORT) none');
  expect(exitCode).toBe(0);
});

it('a Pod without namespaces that looks up a later Service has an event about such names', async () => {
  const command = ['sh', '-c', 'echo db.default.svc.cluster.local'];
  const pod = workshop.pod('early', { restartPolicy: 'Never', containers: [{ name: 'main', command }] });
  const { stdout, exitCode } = await workshop.run(['apply', pod, '--runtime', 'process']);
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/NoServiceNames: names of Services do not resolve in this Pod[^]* started$/m);
});
