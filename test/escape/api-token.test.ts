import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { APART, attemptIn, escaping, start } from './worlds.ts';

const RUN_POD = path.join(import.meta.dirname, 'run-pod.mjs');

/** Asks the server with the token of the Pod, and with none, for more than a Pod may do. Prints the answers. */
const ASK = `
  const { readFileSync } = require('node:fs');
  const { request } = require('node:https');
  const read = (name) => readFileSync('/var/run/secrets/kubernetes.io/serviceaccount/' + name, 'utf8');
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = process.env;
  const ask = (method, path, body, more = { authorization: 'Bearer ' + read('token') }) =>
    new Promise((resolve, reject) => {
      const headers = { 'content-type': 'application/json', ...more };
      const sent = request({ host, port, path, method, headers, ca: read('ca.crt') }, (answer) => {
        answer.resume().on('end', () => resolve(method + ' ' + path + ' ' + answer.statusCode));
      });
      sent.on('error', reject).end(body && JSON.stringify(body));
    }).then(console.log);
  const container = { name: 'main', image: 'x', securityContext: { privileged: true, runAsUser: 0 } };
  const volumes = [{ name: 'host', hostPath: { path: '/' } }];
  const pod = { metadata: { name: 'rooted' }, spec: { containers: [container], volumes } };
  const admin = { 'impersonate-user': 'kubernetes-admin', 'impersonate-group': 'system:masters' };
  (async () => {
    await ask('POST', '/api/v1/namespaces/default/pods', pod);
    await ask('GET', '/api/v1/secrets');
    await ask('GET', '/api/v1/secrets', undefined, {});
    await ask('GET', '/api/v1/secrets', undefined, { authorization: 'Bearer ' + read('token'), ...admin });
    await ask('POST', '/api/v1/namespaces/default/serviceaccounts/default/token', {});
    await ask('GET', '/api');
  })();`;

describe.each(APART)('$who, $tier tier', (world) => {
  it('the token of a Pod asks what there is, and no more', async (context) => {
    const attempt = attemptIn(context, world);
    const securityContext = {
      runAsUser: 65532,
      runAsGroup: 65532,
      allowPrivilegeEscalation: false,
      capabilities: { drop: ['ALL'] },
      readOnlyRootFilesystem: true,
    };
    const spec = escaping('', { command: [process.execPath, '-e', ASK], securityContext });
    const pod = JSON.stringify({ metadata: { name: 'web' }, spec });
    const flags = ['--network', 'host', '--isolate'];
    const { stdout, stderr } = await start(attempt, ['serve', '--once', ...flags, '--', process.execPath, RUN_POD, pod])
      .ended;
    expect({ stdout, stderr }).toEqual({
      stdout: [
        'POST /api/v1/namespaces/default/pods 403',
        'GET /api/v1/secrets 403',
        'GET /api/v1/secrets 403',
        'GET /api/v1/secrets 403',
        'POST /api/v1/namespaces/default/serviceaccounts/default/token 403',
        'GET /api 200\n',
      ].join('\n'),
      stderr: '',
    });
  });
});
