// Changes the text of a Site, as a client that has a kubeconfig.

import { readFileSync } from 'node:fs';
import { request } from 'node:https';

const { clusters, users } = JSON.parse(readFileSync(process.env.KUBECONFIG, 'utf8'));
const { server, 'certificate-authority-data': ca } = clusters[0].cluster;
const headers = { authorization: `Bearer ${users[0].user.token}`, 'content-type': 'application/merge-patch+json' };
const url = `${server}/apis/acme.io/v1/namespaces/default/sites/blog`;
request(url, { method: 'PATCH', headers, ca: Buffer.from(ca, 'base64') }, (response) => {
  response.resume();
  process.exitCode = response.statusCode === 200 ? 0 : 1;
}).end(JSON.stringify({ spec: { text: 'goodbye' } }));
