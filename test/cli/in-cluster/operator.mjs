// An operator without libraries: finds the API server as programs in a cluster do, watches a custom kind, and makes a
// ConfigMap for each object. Ends with code 3 after the first.

import { readFileSync } from 'node:fs';
import { request } from 'node:https';

const folder = '/var/run/secrets/kubernetes.io/serviceaccount';
const read = (name) => readFileSync(`${folder}/${name}`, 'utf8');
const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = process.env;
const namespace = read('namespace');

/** Calls back with each line of the answer. */
function ask(method, path, body, onLine = () => undefined) {
  const headers = { authorization: `Bearer ${read('token')}`, 'content-type': 'application/json' };
  return new Promise((resolve, reject) => {
    const sent = request({ host, port, path, method, headers, ca: read('ca.crt') }, (answer) => {
      let rest = '';
      answer.setEncoding('utf8').on('data', (piece) => {
        const lines = (rest + piece).split('\n');
        rest = lines.pop();
        lines.forEach(onLine);
      });
      answer.on('end', () => resolve(answer.statusCode));
    });
    sent.on('error', reject).end(body && JSON.stringify(body));
  });
}

await ask('GET', `/apis/acme.io/v1/namespaces/${namespace}/sites?watch=true`, undefined, async (line) => {
  const { metadata, spec } = JSON.parse(line).object;
  const owner = { apiVersion: 'acme.io/v1', kind: 'Site', name: metadata.name, uid: metadata.uid };
  const made = { metadata: { name: metadata.name, ownerReferences: [owner] }, data: { text: spec.text } };
  await ask('POST', `/api/v1/namespaces/${namespace}/configmaps`, made);
  process.exit(3);
});
