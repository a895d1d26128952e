import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { needs } from '../needs.ts';
import { workshopFor } from './workshop.ts';

const MANIFEST = `
apiVersion: v1
kind: Pod
metadata: {name: web, labels: {app: web}}
spec:
  terminationGracePeriodSeconds: 0
  containers: [{name: c, image: busybox, command: [sleep, "600"]}]
---
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {selector: {app: web}, ports: [{port: 81}]}
`;

it('root of a user namespace alone may not listen below 1024: ports move', needs('user namespaces'), (context) => {
  const workshop = workshopFor(context);
  const args = ['apply', workshop.file('web.yaml', MANIFEST), '--network', 'host', '--until', 'ready', '--', 'true'];
  const [file = '', ...rest] = workshop.commandLine(args);
  const { status, stderr, stdout } = spawnSync('unshare', ['--user', '--map-root-user', file, ...rest], {
    encoding: 'utf8',
    env: { ...process.env, PODRUN_STATE_DIR: workshop.stateDir },
  });
  expect(stderr).toBe('');
  expect(stdout).toContain('10081');
  expect(status).toBe(0);
});
