// A client of the API server in $KUBECONFIG: creates the objects in the file of the first argument, and waits until
// Pods are Ready or have ended and Deployments are Available. With `jobs`, also until Jobs have ended.

import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { setTimeout } from 'node:timers/promises';

const config = JSON.parse(readFileSync(process.env.KUBECONFIG, 'utf8'));
const [{ cluster }] = config.clusters;
const [{ user }] = config.users;
const ca = Buffer.from(cluster['certificate-authority-data'], 'base64');
const headers = { authorization: `Bearer ${user.token}`, 'content-type': 'application/json' };
const agent = new Agent({ keepAlive: true });
const [, , file, ...waits] = process.argv;

function ask(method, path, body) {
  return new Promise((resolve, reject) => {
    const sent = request(cluster.server + path, { method, headers, ca, agent }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (piece) => (text += piece));
      answer.on('end', () => (answer.statusCode < 300 ? resolve(JSON.parse(text)) : reject(new Error(text))));
    });
    sent.on('error', reject).end(body && JSON.stringify(body));
  });
}

function isThere({ kind, status = {} }) {
  const is = (type) => status.conditions?.some((each) => each.type === type && each.status === 'True') === true;
  if (kind === 'Pod') return is('Ready') || status.phase === 'Failed' || status.phase === 'Succeeded';
  if (kind === 'Job') return !waits.includes('jobs') || is('Complete') || is('Failed');
  return kind !== 'Deployment' || is('Available');
}

for (const object of JSON.parse(readFileSync(file, 'utf8'))) {
  const group = object.apiVersion.includes('/') ? `/apis/${object.apiVersion}` : `/api/${object.apiVersion}`;
  const { namespace = 'default' } = object.metadata;
  const scope = object.kind === 'Namespace' ? '' : `/namespaces/${namespace}`;
  const path = `${group}${scope}/${object.kind.toLowerCase()}s`;
  let stored = await ask('POST', path, object);
  while (!isThere(stored)) {
    await setTimeout(100);
    stored = await ask('GET', `${path}/${object.metadata.name}`);
  }
}
agent.destroy();
