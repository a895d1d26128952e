// The COMMAND of `podrun serve --once`: brings a custom kind, runs the operator of the argument as a Pod, and waits for
// its work, and until it has ended.

import { readFileSync } from 'node:fs';
import { request } from 'node:https';

const config = JSON.parse(readFileSync(process.env.KUBECONFIG, 'utf8'));
const [{ cluster }] = config.clusters;
const [{ user }] = config.users;
const ca = Buffer.from(cluster['certificate-authority-data'], 'base64');
const headers = { authorization: `Bearer ${user.token}`, 'content-type': 'application/json' };

/** Resolves with the answer, or with the first line that is `wanted`. */
function ask(method, path, body, wanted) {
  return new Promise((resolve, reject) => {
    const sent = request(cluster.server + path, { method, headers, ca }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (piece) => {
        text += piece;
        const lines = text.split('\n').slice(0, -1);
        const found = wanted && lines.map((line) => JSON.parse(line).object).find(wanted);
        if (found) resolve(found);
      });
      answer.on('end', () => resolve(text));
    });
    sent.on('error', reject).end(body && JSON.stringify(body));
  });
}

const schema = {
  openAPIV3Schema: {
    type: 'object',
    properties: { spec: { type: 'object', properties: { text: { type: 'string' } } } },
  },
};
await ask('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
  metadata: { name: 'sites.acme.io' },
  spec: {
    group: 'acme.io',
    scope: 'Namespaced',
    names: { plural: 'sites', singular: 'site', kind: 'Site' },
    versions: [{ name: 'v1', served: true, storage: true, schema }],
  },
});
// The operator runs as the ServiceAccount `default`, which may do what this Role permits, and nothing else.
const rbac = '/apis/rbac.authorization.k8s.io/v1/namespaces/default';
const rules = [
  { apiGroups: ['acme.io'], resources: ['sites'], verbs: ['watch'] },
  { apiGroups: [''], resources: ['configmaps'], verbs: ['create'] },
];
await ask('POST', `${rbac}/roles`, { metadata: { name: 'operator' }, rules });
await ask('POST', `${rbac}/rolebindings`, {
  metadata: { name: 'operator' },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'operator' },
  subjects: [{ kind: 'ServiceAccount', name: 'default', namespace: 'default' }],
});
const container = { name: 'main', image: 'node', command: [process.execPath, process.argv[2]] };
const pods = '/api/v1/namespaces/default/pods';
await ask('POST', pods, { metadata: { name: 'operator' }, spec: { containers: [container] } });
const isReady = ({ status }) => status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True');
await ask('GET', `${pods}?watch=true`, undefined, isReady);
await ask('POST', '/apis/acme.io/v1/namespaces/default/sites', { metadata: { name: 'shop' }, spec: { text: 'hello' } });
const maps = '/api/v1/namespaces/default/configmaps?watch=true&fieldSelector=metadata.name%3Dshop';
console.log((await ask('GET', maps, undefined, () => true)).data.text);
await ask('GET', `${pods}?watch=true`, undefined, ({ status }) => status?.containerStatuses?.[0].lastState?.terminated);
process.exit(0);
