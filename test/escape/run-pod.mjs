// The COMMAND of `podrun serve --once`: creates the Pod of the first argument, waits until it is over, prints its log.

import { readFileSync } from 'node:fs';
import { request } from 'node:https';

const config = JSON.parse(readFileSync(process.env.KUBECONFIG, 'utf8'));
const [{ cluster }] = config.clusters;
const [{ user }] = config.users;
const ca = Buffer.from(cluster['certificate-authority-data'], 'base64');
const headers = { authorization: `Bearer ${user.token}`, 'content-type': 'application/json' };
const pods = '/api/v1/namespaces/default/pods';

/** Resolves with the answer, or when a line of it is `wanted`. */
function ask(method, path, body, wanted = () => false) {
  return new Promise((resolve, reject) => {
    const sent = request(cluster.server + path, { method, headers, ca }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (piece) => {
        text += piece;
        if (text.split('\n').slice(0, -1).some(wanted)) resolve(text);
      });
      answer.on('end', () => resolve(text));
    });
    sent.on('error', reject).end(body);
  });
}

await ask('POST', pods, process.argv[2]);
const isOver = (line) => /^(Succeeded|Failed)$/.test(JSON.parse(line).object.status?.phase);
await ask('GET', `${pods}?watch=true`, undefined, isOver);
process.stdout.write(await ask('GET', `${pods}/web/log`), () => process.exit(0));
