// An operator without libraries, whose program is the conversion webhook of its definition as well: a Parcel has a
// weight in kilograms in its first version, and in grams in the version that is stored. Each gets its postage.

import { readFileSync } from 'node:fs';
import { createServer, request } from 'node:https';

const FOLDER = '/var/run/secrets/kubernetes.io/serviceaccount';
const read = (name) => readFileSync(`${FOLDER}/${name}`, 'utf8');
const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = process.env;
const PARCELS = `/apis/mail.example.com/v2/namespaces/${read('namespace')}/parcels`;

/** The forms of a spec in the versions. */
const TO_VERSION = {
  'mail.example.com/v1': ({ grams, ...rest }) => ({ ...rest, kilograms: `${grams / 1000}` }),
  'mail.example.com/v2': ({ kilograms, ...rest }) => ({ ...rest, grams: Math.round(Number(kilograms) * 1000) }),
};

function converted(object, desired) {
  if (object.apiVersion === desired) return object;
  return { ...object, apiVersion: desired, spec: TO_VERSION[desired](object.spec) };
}

function review(body) {
  const { apiVersion, kind, request: asked } = JSON.parse(body);
  const convertedObjects = asked.objects.map((object) => converted(object, asked.desiredAPIVersion));
  return { apiVersion, kind, response: { uid: asked.uid, result: { status: 'Success' }, convertedObjects } };
}

const tls = { cert: readFileSync('/tls/tls.crt'), key: readFileSync('/tls/tls.key') };
createServer(tls, (incoming, response) => {
  let body = '';
  incoming.on('data', (piece) => (body += piece));
  incoming.on('end', () => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(review(body)));
  });
}).listen(8443, process.env.POD_IP);

/** Sends a request, and calls back with each line of the response. */
function ask(method, path, { body, onLine = () => undefined } = {}) {
  const headers = { authorization: `Bearer ${read('token')}`, 'content-type': 'application/merge-patch+json' };
  return new Promise((resolve, reject) => {
    const sent = request({ host, port, path, method, headers, ca: read('ca.crt') }, (response) => {
      let rest = '';
      response.setEncoding('utf8').on('data', (piece) => {
        const lines = (rest + piece).split('\n');
        rest = lines.pop();
        lines.filter(Boolean).forEach(onLine);
      });
      response.on('end', () => resolve(response.statusCode));
    });
    sent.on('error', reject).end(body && JSON.stringify(body));
  });
}

async function reconcile({ metadata: { name }, spec: { grams }, status }) {
  const postage = grams <= 1000 ? 5 : 9;
  if (status?.postage === postage) return;
  await ask('PATCH', `${PARCELS}/${name}/status`, { body: { status: { postage } } });
  console.log(`parcel ${name} costs ${postage}`);
}

// The server ends a watch from time to time.
for (;;) {
  await ask('GET', `${PARCELS}?watch=true`, {
    onLine: (line) => {
      const { type, object } = JSON.parse(line);
      if (type === 'ADDED' || type === 'MODIFIED') reconcile(object).catch((error) => console.error(error.message));
    },
  });
}
