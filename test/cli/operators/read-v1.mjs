// Reads a Parcel in the first version of its definition, as a client that has a kubeconfig.

import { readFileSync } from 'node:fs';
import { get } from 'node:https';

const { clusters, users } = JSON.parse(readFileSync(process.env.KUBECONFIG, 'utf8'));
const { server, 'certificate-authority-data': ca } = clusters[0].cluster;
const headers = { authorization: `Bearer ${users[0].user.token}` };
const url = `${server}/apis/mail.example.com/v1/namespaces/default/parcels/gift`;
get(url, { headers, ca: Buffer.from(ca, 'base64') }, (response) => {
  let body = '';
  response.on('data', (piece) => (body += piece));
  response.on('end', () => console.log(`in the first version: ${JSON.parse(body).spec?.kilograms} kilograms`));
});
