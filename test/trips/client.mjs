// Creates a Deployment on a server that is quiet, and waits until its container starts.

import { existsSync, readFileSync } from 'node:fs';
import { request } from 'node:https';
import { setTimeout as pause } from 'node:timers/promises';

const TARGET = '/apis/apps/v1/namespaces/default/deployments?fieldManager=kubectl-client-side-apply';
const labels = { app: 'one' };
const containers = [{ name: 'main', image: 'busybox', command: ['sh', '-c', 'sleep 600; : podrun-trip'] }];
const body = JSON.stringify({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'one', namespace: 'default' },
  spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } },
});

const { clusters, users } = JSON.parse(readFileSync(process.env.KUBECONFIG, 'utf8'));
const { server, 'certificate-authority-data': certificate } = clusters[0].cluster;
await appeared('quiet');
const headers = {
  authorization: `Bearer ${users[0].user.token}`,
  'content-type': 'application/json',
  'content-length': Buffer.byteLength(body),
};
const status = await new Promise((resolve, reject) => {
  const sent = request(
    server + TARGET,
    { method: 'POST', headers, ca: Buffer.from(certificate, 'base64') },
    (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    },
  );
  sent.on('error', reject).end(body);
});
if (status !== 201) throw new Error(`the server answered ${status}`);
await appeared('spawn');

/** Waits for a mark of the recorder. */
async function appeared(name) {
  while (!existsSync(name)) await pause(50);
}
