// The webhooks of a golf course. It begins late, as programs do: until then, the API server calls it in vain. A new Tee
// gets a label; one with a negative hole is refused.

import { createServer } from 'node:https';

const { CERT: cert, KEY: key, PORT: port } = process.env;
const LATE_MS = 1500;
const PATCH = [{ op: 'add', path: '/metadata/labels', value: { checked: 'yes' } }];

function respond({ request: { uid, object } }) {
  if (object.spec.hole < 0) return { uid, allowed: false, status: { message: 'no such hole' } };
  return { uid, allowed: true, patchType: 'JSONPatch', patch: Buffer.from(JSON.stringify(PATCH)).toString('base64') };
}

const server = createServer({ cert, key }, (incoming, outgoing) => {
  let body = '';
  incoming.on('data', (piece) => (body += piece));
  incoming.on('end', () => {
    const review = JSON.parse(body);
    outgoing.setHeader('content-type', 'application/json');
    outgoing.end(JSON.stringify({ ...review, response: respond(review) }));
  });
});
setTimeout(() => server.listen(Number(port)), LATE_MS);
